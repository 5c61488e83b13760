#!/usr/bin/env python3
"""One question over many segments by Dask, with workers that are killed on the way.

cluster.py FOLDER    of segments *.bin; prints a JSON object: the rows and counts of the cluster, how many workers were killed,
                     and what was missing
"""

import json
import os
import pathlib
import signal
import sys
import threading
import time

import tracedeck.distributed
from dask.distributed import Client, LocalCluster

STAGES = "count(), sum(n), p99(n) by n % 7 as rest | sort rest"


def kill(pids, when):
    for pid in pids:
        time.sleep(when)
        os.kill(pid, signal.SIGKILL)


def is_gone(pid):
    """Whether a process ended, also one that nobody waited for yet."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def main():
    folder = pathlib.Path(sys.argv[1])
    paths = [*map(str, sorted(folder.glob("*.bin"))), str(folder / "missing.bin")]
    with LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        with Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
            assert len(set(pids) | {os.getpid()}) == 5, pids
            killer = threading.Thread(target=kill, args=(pids[:2], 0.05))
            killer.start()
            answer = tracedeck.distributed.query(STAGES, paths, client, tasks_per_thread=16)
            killer.join()
            time.sleep(0.2)
            killed = sum(map(is_gone, pids))
    print(json.dumps({"rows": answer, "counts": answer.counts, "missing": answer.notes, "killed": killed}))


if __name__ == "__main__":
    main()
