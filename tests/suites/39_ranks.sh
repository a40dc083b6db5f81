# MPI: tests/cluster/ranks.sh with each MPI that is there. Nothing but these plug-ins may need MPI.
[ -x build/heddle ] || { echo "skip ranks: build/heddle is not there"; exit 0; }
if ldd build/heddle | grep -qi mpi; then echo "FAIL ranks: build/heddle needs MPI"; else echo "ok ranks: build/heddle needs no MPI"; fi
# A launcher whose plug-in is not there, or that starts tasks without MPI, is no reason to explore everything N times.
got=$(SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 build/heddle run tests/oracle/sb.c 2>&1)
if [ $? = 2 ] && grep -q "mpi=pmix" <<<"$got"; then echo "ok ranks: srun without MPI"; else echo "FAIL ranks: srun without MPI: $got"; fi
got=$(SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 build/heddle refine none.hm 2>&1)
if [ $? = 2 ] && grep -q "does not go with MPI" <<<"$got"; then echo "ok ranks: refine"; else echo "FAIL ranks: refine: $got"; fi
# What all would say, only the first one says.
for command in "run tests/oracle/sb.c" "refine none.hm" "run --nonsense none.c" "nonsense"; do
    # shellcheck disable=SC2086
    if got=$(SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 build/heddle $command 2>&1) && [ -z "$got" ]; then echo "ok ranks: the second says nothing: $command"; else echo "FAIL ranks: the second says: $got"; fi
done
launchers=()
if [ -e build/lib/heddle-mpi-mpich.so ] && command -v mpirun.mpich >/dev/null; then launchers+=("mpirun.mpich"); fi
if [ -e build/lib/heddle-mpi-openmpi.so ] && command -v mpirun.openmpi >/dev/null; then
    launchers+=("mpirun.openmpi --allow-run-as-root --oversubscribe")
fi
if [ ${#launchers[@]} = 0 ]; then
    echo "skip ranks: no MPI is installed (Debian: openmpi-bin libopenmpi-dev mpich libmpich-dev), or heddle was built without"
    exit 0
fi
tests/cluster/ranks.sh "${launchers[@]}"
# Slurm, with two node daemons on this machine; -K: a rank that dies ends the job. What Open MPI takes for two nodes has one
# memory here, in which both would use the same names: it gets messages only.
if [ -n "${HEDDLE_NIGHTLY:-}" ]; then
    folder=$(mktemp -d)
    if why=$(tests/cluster/slurm.sh start "$folder" 2 2>&1); then
        OMPI_MCA_btl=tcp,self SLURM_CONF=$folder/slurm.conf tests/cluster/ranks.sh "srun --mpi=pmix -N2 -K" "srun --mpi=pmi2 -N2 -K"
    else
        echo "skip ranks: Slurm: $why"
    fi
    tests/cluster/slurm.sh stop "$folder"
    rm -rf "$folder"
fi
