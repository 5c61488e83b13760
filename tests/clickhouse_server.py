"""Servers of ClickHouse for tests: each in a temporary folder, on ports of loopback that are free, ended with the test class."""

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

CONFIGURATION = """<yandex>
<logger><level>error</level><console>true</console></logger>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path>
<format_schema_path>{folder}/schemas/</format_schema_path><mark_cache_size>100000000</mark_cache_size>
<listen_host>127.0.0.1</listen_host><tcp_port>{ports[0]}</tcp_port><http_port>{ports[1]}</http_port>
<interserver_http_port>{ports[2]}</interserver_http_port><users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<remote_servers><shards>{shards}</shards></remote_servers>
</yandex>"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """<yandex><users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><profiles><default></default></profiles><quotas><default></default></quotas></yandex>"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Server:
    """A server that answers queries."""

    def __init__(self, port, http_port):
        self.port = port
        self.url = f"http://127.0.0.1:{http_port}"

    def client(self, query, *options):
        return ["clickhouse-client", "--port", str(self.port), *options, "--query", query]

    def answers(self):
        return subprocess.run(self.client("select 1"), capture_output=True).returncode == 0

    def ask(self, query, content=None, *options):
        """What it prints; of JSONEachRow the rows. An error is an AssertionError."""
        done = subprocess.run(self.client(query, *options), input=content, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        if "JSONEachRow" not in query:
            return done.stdout
        # Strings are any bytes there.
        return [json.loads(line.decode(errors="replace")) for line in done.stdout.split(b"\n") if line]

    def insert(self, folder):
        """Makes the tables of `convert --to clickhouse` in `folder` and inserts their rows; returns their names."""
        files = sorted(pathlib.Path(folder).glob("*.native"))
        for file in files:
            name = file.name.removesuffix(".native")
            self.ask(file.with_suffix(".sql").read_text().rstrip(";\n"))
            self.ask(f"insert into `{name}` format Native", file.read_bytes())
        return [file.name.removesuffix(".native") for file in files]


def start(test_class, count=1):
    """Starts `count` servers, which all know each other as the cluster `shards`; skips where there is none."""
    program = shutil.which("clickhouse-server") or shutil.which("/usr/sbin/clickhouse-server")
    if program is None or shutil.which("clickhouse-client") is None:
        raise unittest.SkipTest("there is no clickhouse-server or clickhouse-client")
    folder = tempfile.TemporaryDirectory()
    test_class.addClassCleanup(folder.cleanup)
    ports = free_ports(3 * count)
    shards = "".join(SHARD.format(port) for port in ports[::3])
    servers = []
    for i in range(count):
        root = pathlib.Path(folder.name) / str(i)
        for name in ("data", "tmp", "files", "schemas"):
            (root / name).mkdir(parents=True)
        (root / "config.xml").write_text(CONFIGURATION.format(folder=root, ports=ports[3 * i :], shards=shards))
        (root / "users.xml").write_text(USERS)
        process = subprocess.Popen(
            [program, f"--config-file={root}/config.xml"], cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        test_class.addClassCleanup(end, process)
        servers.append(Server(*ports[3 * i : 3 * i + 2]))
    deadline = time.monotonic() + 60
    while not all(server.answers() for server in servers):
        if time.monotonic() > deadline:
            raise unittest.SkipTest("clickhouse-server does not answer")
        time.sleep(0.2)
    return servers


def end(process):
    process.terminate()
    process.wait(60)
