State 1: <Initial predicate>
/\ h = <<>>

State 2: <Next>
/\ h = << [process |-> p1, type |-> "invoke", f |-> "write", value |-> {1, -2}],
  [process |-> p1, type |-> "ok", f |-> "write", value |-> <<1, TRUE, NULL>>] >>
/\ x = [a |-> 1]
