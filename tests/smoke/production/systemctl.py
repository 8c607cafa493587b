"""Stands in for systemctl on a machine of the tests: does what the unit and its drop-ins say about what runs where.

As systemd does with these lines: files and folders, rights, the environment, the notification (Type=notify), what may
be written (ProtectSystem=strict, ReadWritePaths, StateDirectory). Capabilities and system calls are left alone.
"""

import glob
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time

UNITS = "/etc/systemd/system"
PID_FILE = "/run/%s.unit-pid"
NOTIFY = "/run/unit-notify"
READ_ONLY = """
for place in $WRITABLE; do mount --bind "$place" "$place"; done
for place in / /etc /var /srv /usr/local/bin; do mount -o remount,bind,ro "$place"; done
unset WRITABLE
exec "$@"
"""


def unit(name):
    said = {}
    drop_ins = sorted(glob.glob(f"{UNITS}/{name}.service.d/*.conf"))
    for path in [f"{UNITS}/{name}.service", *drop_ins]:
        with open(path) as lines:
            for line in lines:
                key, equals, value = line.strip().partition("=")
                if equals and not key.startswith("#"):
                    said.setdefault(key, []).append(value)
    return said


def environment(said):
    pairs = [word for line in said.get("Environment", []) for word in shlex.split(line)]
    for path in said.get("EnvironmentFile", []):
        with open(path) as lines:
            pairs += ["".join(shlex.split(line)) for line in lines if not line.startswith("#")]
    own = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
    return own | dict(pair.split("=", 1) for pair in pairs if pair)


def start(name):
    said = unit(name)
    one = lambda key: said[key][-1]
    assert one("Type") == "notify" and one("ProtectSystem") == "strict"
    state = os.path.join("/var/lib", one("StateDirectory"))
    mode = int(one("StateDirectoryMode"), 8)
    os.makedirs(state, mode, exist_ok=True)
    os.chmod(state, mode)
    if os.path.exists(NOTIFY):
        os.unlink(NOTIFY)
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(NOTIFY)
    manager.settimeout(0.2)
    paths = [path for line in said.get("ReadWritePaths", []) for path in line.split()]
    env = environment(said) | {"NOTIFY_SOCKET": NOTIFY, "WRITABLE": " ".join([state, *paths])}
    program = shlex.split(one("ExecStart"))
    mask = int(one("UMask"), 8)
    with open(f"/var/log/{name}.log", "ab") as log:
        child = subprocess.Popen(
            ["unshare", "--mount", "sh", "-ec", READ_ONLY, "sh", *program],
            cwd=one("WorkingDirectory"), env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=lambda: os.umask(mask), start_new_session=True,
        )
    with open(PID_FILE % name, "w") as file:
        file.write(str(child.pid))
    until = time.monotonic() + int(one("TimeoutStartSec"))
    while child.poll() is None and time.monotonic() < until:
        try:
            if b"READY=1" in manager.recv(4096):
                return
        except TimeoutError:
            pass
    sys.exit(f"{name} did not become ready: see /var/log/{name}.log")


def stop(name):
    with open(PID_FILE % name) as file:
        pid = int(file.read())
    until = time.monotonic() + int(unit(name)["TimeoutStopSec"][-1])
    os.kill(pid, signal.Signals[unit(name).get("KillSignal", ["SIGTERM"])[-1]])
    while runs(pid):
        if time.monotonic() > until:
            sys.exit(f"{name} did not stop")
        time.sleep(0.02)


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def daemon_reload():
    if not shutil.which("systemd-analyze"):
        return
    for path in glob.glob(f"{UNITS}/berth.service"):
        checked = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
        if checked.returncode != 0 or checked.stderr:
            sys.exit(f"systemd-analyze verify: {checked.stderr}")


match sys.argv[1:]:
    case ["daemon-reload"]:
        daemon_reload()
    case ["reload", "nginx"]:
        subprocess.run(["nginx", "-s", "reload"], check=True)
    case ["enable", "--now", name]:
        assert "WantedBy" in unit(name)
        start(name)
    case ["restart", name]:
        stop(name)
        start(name)
    case other:
        sys.exit(f"no systemctl for {other}")
