#!/usr/bin/env bash
# A Slurm cluster on this machine, for tests: loopback only, all its files in one folder, nothing in /etc.
#     tests/cluster/slurm.sh start FOLDER NODES     then: export SLURM_CONF=FOLDER/slurm.conf
#     tests/cluster/slurm.sh stop FOLDER
# Needs root and Debian's slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge. `start' ends with
# status 3 and a message if something is missing.
set -eu
action=${1:-} folder=$(realpath -m "${2:-.}") nodes=${3:-2}
host=$(hostname -s)

await() {
    local try
    for try in $(seq 150); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    echo "slurm: after $((try / 10)) s there is no answer to: $*" >&2
    tail -n 5 "$folder"/log/* >&2 || true
    return 1
}

# Ports that are free now: one for the controller, one a node.
free_ports() {
    awk -v wanted="$1" '
        FNR > 1 { split($2, part, ":"); used[part[2]] = 1 }
        END { for (port = 21000; wanted > 0; port++) if (!(sprintf("%04X", port) in used)) { print port; wanted-- } }
    ' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

start() {
    local missing="" program ports i
    for program in slurmctld slurmd srun munged munge; do
        command -v $program >/dev/null || missing="$missing $program"
    done
    if [ -n "$missing" ] || [ "$(id -u)" != 0 ]; then
        echo "slurm: ${missing:+there is no$missing (Debian: slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge); }root is needed" >&2
        exit 3
    fi
    mkdir -p "$folder/state" "$folder/log"
    chmod 755 "$folder"
    (umask 077 && head -c 1024 /dev/urandom >"$folder/key")
    munged --force --key-file="$folder/key" --socket="$folder/munge" --pid-file="$folder/munged.pid" \
        --log-file="$folder/log/munged" --seed-file="$folder/seed" --num-threads=2 2>/dev/null
    await munge -n --socket="$folder/munge"
    mapfile -t ports < <(free_ports $((nodes + 1)))
    {
        echo "ClusterName=heddle
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
TmpFS=$folder/tmp/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MpiDefault=none"
        for i in $(seq "$nodes"); do
            mkdir -p "$folder/spool/n$i" "$folder/tmp/n$i"
            echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[$i]} CPUs=8 State=UNKNOWN"
        done
        echo "PartitionName=all Nodes=n[1-$nodes] Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8"
    } >"$folder/slurm.conf"
    export SLURM_CONF=$folder/slurm.conf
    slurmctld -f "$SLURM_CONF"
    for i in $(seq "$nodes"); do slurmd -f "$SLURM_CONF" -N "n$i"; done
    await srun -N"$nodes" -n"$nodes" --immediate=1 true
}

stop() {
    local file
    for file in "$folder"/slurmd-*.pid "$folder/slurmctld.pid" "$folder/munged.pid"; do
        if [ -s "$file" ]; then kill "$(cat "$file")" 2>/dev/null || true; fi
    done
}

case $action in
start) start ;;
stop) stop ;;
*) sed -n 2,6p "$0" >&2; exit 2 ;;
esac
