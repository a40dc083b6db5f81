<< [process |-> 1, type |-> "call", op |-> "enq", args |-> <<1>>],
   [process |-> 1, type |-> "return", result |-> NULL] >>
