# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl view without a browser: a client of the protocol of docs/view-protocol.md, written from that page alone."""

import base64
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from conftest import COMMAND

FIGURES = ["kinetic", "potential", "balance", "residual", "closure", "penetration", "iterations", "contacts",
           "step_time", "real_time", "drag", "unsolved"]
RUN, STEP, SPEED, RESET, SET, GRAB, RELEASE, TARGET, CLEAR, FRICTION, GRAVITY, RECORD, COMPARE = range(1, 14)
OPEN, DRAWN = 14, 18


class Server:
    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen([COMMAND, "view", *map(str, arguments), "--no-browser"], cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        match = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", line)
        if not match:
            self.process.kill()
            pytest.fail(f"no address: {line!r} {self.process.stderr.read()!r}")
        self.port, self.token = int(match[1]), match[2]

    def get(self, path, token=None, host=None):
        url = f"http://127.0.0.1:{self.port}{path}?token={self.token if token is None else token}"
        request = urllib.request.Request(url, headers={"Host": host} if host else {})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def status(self):
        return json.loads(self.get("/status")[1])

    def end(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Viewer:
    """A WebSocket (RFC 6455), as much of it as is needed."""

    def __init__(self, server, token=None, origin=None, protocol="pawl-view-1"):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        host = f"127.0.0.1:{server.port}"
        origin = f"http://{host}" if origin is None else origin
        lines = [f"GET /socket?token={server.token if token is None else token} HTTP/1.1", f"Host: {host}",
                 "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
                 f"Sec-WebSocket-Protocol: {protocol}"]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.data = b""
        self.frames = 0
        while b"\r\n\r\n" not in self.data:
            more = self.socket.recv(65536)
            if not more:
                break
            self.data += more
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        self.accepted = head.startswith(b"HTTP/1.1 101")

    def _need(self, count):
        while len(self.data) < count:
            more = self.socket.recv(1 << 20)
            if not more:
                raise ConnectionError("closed")
            self.data += more

    def message(self):
        """The next whole message; ConnectionError where the server ends the connection."""
        whole = b""
        while True:
            self._need(2)
            first, size, at = self.data[0], self.data[1] & 127, 2
            if size == 126:
                self._need(4)
                size, at = struct.unpack(">H", self.data[2:4])[0], 4
            elif size == 127:
                self._need(10)
                size, at = struct.unpack(">Q", self.data[2:10])[0], 10
            self._need(at + size)
            body, self.data = self.data[at:at + size], self.data[at + size:]
            if first & 15 == 8:
                raise ConnectionError("closed by the server")
            if first & 15 in (9, 10):
                continue
            whole += body
            if first & 128:
                return whole

    def raw(self, body, opcode=2):
        mask = os.urandom(4)
        head = bytes([128 | opcode]) + (bytes([128 | len(body)]) if len(body) < 126
                                        else bytes([128 | 126]) + struct.pack(">H", len(body)))
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body)))

    def send(self, kind, *parts, panes=3):
        self.raw(bytes([kind, panes, 0, 0]) + b"".join(parts))

    def set(self, key, value, panes=1):
        self.send(SET, bytes([len(key), len(value)]), key.encode(), value.encode(), panes=panes)

    def next(self, kind, until=lambda m: True, limit=15.0):
        """The next message of a kind for which a condition holds."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            raw = self.message()
            read = self.read(raw)
            if raw[0] == kind and until(read):
                return read
        raise AssertionError("it did not come")

    def read(self, raw):
        if raw[0] != 2:
            return json.loads(raw[8:])
        self.frames += 1
        self.send(DRAWN, struct.pack("<I", self.frames))
        _, panes, _, document, sequence, bodies, joints, running, wall = struct.unpack_from("<BBHIIIIId", raw)
        frame = {"document": document, "sequence": sequence, "running": running, "wall": wall, "panes": []}
        at = 32
        for _ in range(panes):
            time_, step, contacts, _ = struct.unpack_from("<ddII", raw, at)
            figures = dict(zip(FIGURES, struct.unpack_from("<12f", raw, at + 24)))
            at += 24 + 48
            gaps = struct.unpack_from(f"<{joints}f", raw, at)
            at += 4 * joints
            poses = [struct.unpack_from("<7f", raw, at + 28 * b) for b in range(bodies)]
            at += 28 * bodies + 52 * contacts
            frame["panes"].append({"time": time_, "step": step, "contacts": contacts, "figures": figures,
                                   "gaps": gaps, "poses": poses})
        assert at == len(raw)
        return frame

    def close(self):
        self.socket.close()


def u32(x):
    return struct.pack("<I", x)


@pytest.fixture
def serve(pawl):
    servers = []

    def start(*arguments):
        servers.append(Server(pawl.folder, *arguments))
        return servers[-1]

    probe = subprocess.run([COMMAND, "view", "--no-browser", "--port", "1.5"], capture_output=True, text=True)
    assert probe.returncode == 2
    if "libwebsockets" not in subprocess.run([COMMAND, "--version"], capture_output=True, text=True).stdout:
        pytest.skip("this pawl was built without libwebsockets")
    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait()


def test_nobody_enters_without_token_or_from_elsewhere(pawl, serve):
    server = serve(pawl.model("joints/revolute.sdf"))
    status, page = server.get("/")
    assert status == 200 and b"pawl-document" in page
    assert server.get("/", token="")[0] == 403
    assert server.get("/", token="0" * 32)[0] == 403
    assert server.get("/status", token="x")[0] == 403
    assert server.get("/", host="evil.example")[0] == 403
    assert server.get("/", host=f"localhost:{server.port + 1}")[0] == 200  # as through a tunnel
    assert server.get("/nothing")[0] == 404
    assert Viewer(server).accepted
    assert not Viewer(server, token="0" * 32).accepted
    assert not Viewer(server, origin="http://evil.example").accepted
    assert not Viewer(server, origin=f"http://127.0.0.1:{server.port + 1}").accepted
    assert not Viewer(server, origin="").accepted
    assert not Viewer(server, protocol="chat").accepted
    assert server.end() == 0


def test_what_is_sent_is_done(pawl, serve):
    server = serve(pawl.model("primitives/box-on-plane.sdf"), "--paused")
    viewer = Viewer(server)
    document = viewer.next(1)
    assert document["show"] == "model" and document["scene"]["bodies"]
    viewer.next(2, lambda f: f["panes"][0]["step"] == 0)
    viewer.send(STEP, u32(5))
    frame = viewer.next(2, lambda f: f["panes"][0]["step"] == 5)
    assert abs(frame["panes"][0]["time"] - 0.005) < 1e-12
    viewer.set("dt", "0.002")
    viewer.next(3, lambda s: s["panes"][0]["settings"]["dt"] == "0.002")
    viewer.send(STEP, u32(1))
    frame = viewer.next(2, lambda f: f["panes"][0]["step"] == 6)
    assert abs(frame["panes"][0]["time"] - 0.007) < 1e-12
    viewer.set("solver", "pgs-ncp")
    assert viewer.next(3, lambda s: s["panes"][0]["settings"]["solver"] == "pgs-ncp")
    viewer.set("solver", "no-such")
    note = viewer.next(3, lambda s: "no-such" in s["note"])
    assert note["panes"][0]["settings"]["solver"] == "pgs-ncp"
    viewer.send(RESET)
    viewer.next(2, lambda f: f["panes"][0]["step"] == 0)
    assert server.end() == 0


def test_gravity_is_what_the_page_says(pawl, serve):
    """Closed form: from rest under g' for t a free body falls g' t^2/2, here sideways."""
    server = serve(pawl.write("stone"), "--paused")
    viewer = Viewer(server)
    viewer.next(1)
    viewer.send(GRAVITY, struct.pack("<3d", 4.0, 0.0, 0.0))
    viewer.send(STEP, u32(500))
    pose = viewer.next(2, lambda f: f["panes"][0]["step"] == 500)["panes"][0]["poses"][0]
    assert abs(pose[0] - 0.5 * 4.0 * 0.25) < 1e-3 and abs(pose[2]) < 1e-6
    assert server.end() == 0


def test_a_spring_pulls_a_body_to_where_it_is_held(pawl, serve):
    server = serve(pawl.write("stone", gravity="0 0 0"), "--speed", 0)
    viewer = Viewer(server)
    viewer.next(1)
    viewer.send(GRAB, u32(0), struct.pack("<6f", 0, 0, 0, 1.5, -0.5, 0.25))
    viewer.next(2, lambda f: all(abs(p - q) < 1e-3 for p, q in zip(f["panes"][0]["poses"][0], (1.5, -0.5, 0.25))))
    viewer.send(RELEASE)
    assert viewer.next(2, lambda f: f["panes"][0]["figures"]["drag"] == 0)
    assert server.end() == 0


def test_two_settings_run_side_by_side(pawl, serve):
    server = serve(pawl.model("primitives/fourbar-fixed.sdf"), "--paused")
    viewer = Viewer(server)
    viewer.next(1)
    viewer.send(COMPARE, u32(1))
    viewer.next(3, lambda s: len(s["panes"]) == 2)
    viewer.set("dt", "0.004", panes=2)
    state = viewer.next(3, lambda s: s["panes"][1]["settings"]["dt"] == "0.004")
    assert state["panes"][0]["settings"]["dt"] == "0.001"
    viewer.send(RUN, u32(1))
    frame = viewer.next(2, lambda f: f["panes"][0]["time"] > 0.2)
    times = [pane["time"] for pane in frame["panes"]]
    assert abs(times[0] - times[1]) <= 0.0041
    # The same machine: at the same time both are where the motion is, to the error of the larger step.
    for a, b in zip(frame["panes"][0]["poses"], frame["panes"][1]["poses"]):
        assert max(abs(x - y) for x, y in zip(a, b)) < 0.2
    viewer.send(COMPARE, u32(0))
    viewer.next(2, lambda f: len(f["panes"]) == 1)
    assert server.end() == 0


def test_a_recording_of_the_page_is_a_recording(pawl, serve):
    server = serve(pawl.model("joints/revolute.sdf"), "--paused")
    viewer = Viewer(server)
    viewer.next(1)
    viewer.send(RECORD, u32(1))
    name = viewer.next(3, lambda s: s["recording"])["recording"]
    viewer.send(STEP, u32(50))
    viewer.next(2, lambda f: f["panes"][0]["step"] == 50)
    viewer.send(RECORD, u32(0))
    viewer.next(3, lambda s: not s["recording"])
    assert server.end() == 0
    done = pawl("report", name)
    assert done.returncode in (0, 1), done.stderr
    replay = serve(name)
    assert b"0.05" in replay.get("/")[1]
    assert replay.end() == 0


def test_the_gallery_has_models_with_thumbnails(pawl, serve):
    server = serve()
    viewer = Viewer(server)
    models = viewer.next(1)["models"]
    at = models.index("joints/revolute.sdf")
    for _ in range(100):
        thumb = json.loads(server.get(f"/thumb/{at}")[1])
        if not thumb.get("wait"):
            break
        time.sleep(0.1)
    assert thumb["format"] == 1 and thumb["frames"] > 10
    assert json.loads(server.get("/thumb/100000")[1])["failed"]
    viewer.send(OPEN, u32(at))
    assert viewer.next(1)["scene"]["name"]
    viewer.send(OPEN, u32(0xFFFFFFFF))
    assert viewer.next(1)["show"] == "gallery"
    assert server.end() == 0


def test_hostile_messages_end_their_own_connection_alone(pawl, serve):
    server = serve(pawl.model("joints/revolute.sdf"))
    good = Viewer(server)
    good.next(2)
    for body, opcode in [(b"", 2), (b"\xff" * 40, 2), (b"hello", 1), (bytes(2000), 2), (b"\x03\x03\0\0" + b"\xff" * 8, 2)]:
        bad = Viewer(server)
        assert bad.accepted
        bad.raw(body, opcode)
        with pytest.raises((ConnectionError, socket.timeout)):
            bad.socket.settimeout(5)
            for _ in range(2000):
                bad.message()
        bad.close()
    frame = good.next(2)
    assert good.next(2, lambda f: f["sequence"] > frame["sequence"])
    assert server.end() == 0


def test_a_viewer_that_does_not_read_slows_nobody(pawl, serve):
    server = serve(pawl.model("joints/revolute.sdf"))
    slow, quick = Viewer(server), Viewer(server)
    first = quick.next(2)
    begun = time.monotonic()
    while time.monotonic() - begun < 1.0:
        last = quick.next(2)
    assert last["panes"][0]["time"] > first["panes"][0]["time"] + 0.4
    assert quick.frames > 10
    slow.socket.settimeout(1)
    count = 0
    try:
        while select.select([slow.socket], [], [], 0.3)[0]:
            count += slow.message()[0] == 2
    except (ConnectionError, socket.timeout):
        pass
    assert count <= 5  # frames that it has not said to have drawn
    assert server.end() == 0


def test_viewers_come_and_go(pawl, serve):
    server = serve(pawl.model("primitives/nunchuk.sdf"))
    page = os.sysconf("SC_PAGE_SIZE")

    def memory():
        with open(f"/proc/{server.process.pid}/statm") as numbers:
            return int(numbers.read().split()[1]) * page

    def files():
        return len(os.listdir(f"/proc/{server.process.pid}/fd"))

    for k in range(60):
        viewer = Viewer(server)
        viewer.next(2)
        if k % 3:
            viewer.send(RESET)
        viewer.close()
        if k == 19:
            before, open_before = memory(), files()
    deadline = time.monotonic() + 10
    while server.status()["viewers"] > 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert server.status()["viewers"] == 0
    # The address sanitizer holds back freed memory and stacks; it looks for leaks itself when the server ends.
    assert memory() - before < 2 << 20 or "ASAN_OPTIONS" in os.environ
    assert files() <= open_before + 2
    assert server.end() == 0
