"""Publish/subscribe nodes as ros2_tracing records them with LTTng's user space tracer.

Fields come from ros2_tracing's tracetools (tp_call.h) and from a recording of Galactic with Cyclone DDS. There, a publication
is an rclcpp_publish, rcl_publish and rmw_publish, then dds:write with the time that the message carries; who takes it
repeats that time as `source_timestamp` in rmw_take. Since Iron rmw_publish has the time itself, and dds:* is not needed.
What nobody subscribes to is taken by nobody; a queue that is full drops its oldest message without an event.
"""

import collections
import dataclasses
import heapq
import itertools
import random

from . import ctf, loss as losses
from .ctf import Event
from .statements import check_more
from .truth import OPEN, UNKNOWN, WHOLE, Span, State, Timeline, Track, Truth, sure_parts, touched

OFFSET = 1_649_336_703_604_441_153
GALACTIC, IRON = "galactic", "iron"
CONTEXTS = {"vpid": "i32", "vtid": "i32", "procname": "string"}
CLASSES = {
    "ros2:rcl_init": {"context_handle": "x64", "version": "string"},
    "ros2:rcl_node_init": {"node_handle": "x64", "rmw_handle": "x64", "node_name": "string", "namespace": "string"},
    "ros2:rcl_publisher_init": {
        "publisher_handle": "x64", "node_handle": "x64", "rmw_publisher_handle": "x64", "topic_name": "string",
        "queue_depth": "u64",
    },
    "ros2:rcl_subscription_init": {
        "subscription_handle": "x64", "node_handle": "x64", "rmw_subscription_handle": "x64", "topic_name": "string",
        "queue_depth": "u64",
    },
    "ros2:rclcpp_subscription_init": {"subscription_handle": "x64", "subscription": "x64"},
    "ros2:rclcpp_subscription_callback_added": {"subscription": "x64", "callback": "x64"},
    "ros2:rcl_service_init": {
        "service_handle": "x64", "node_handle": "x64", "rmw_service_handle": "x64", "service_name": "string",
    },
    "ros2:rclcpp_service_callback_added": {"service_handle": "x64", "callback": "x64"},
    "ros2:rcl_timer_init": {"timer_handle": "x64", "period": "i64"},
    "ros2:rclcpp_timer_callback_added": {"timer_handle": "x64", "callback": "x64"},
    "ros2:rclcpp_timer_link_node": {"timer_handle": "x64", "node_handle": "x64"},
    "ros2:rclcpp_callback_register": {"callback": "x64", "symbol": "string"},
    "ros2:rclcpp_publish": {"message": "x64"},
    "ros2:rcl_publish": {"publisher_handle": "x64", "message": "x64"},
    "ros2:rmw_publish": {"message": "x64"},
    "ros2:rmw_take": {"rmw_subscription_handle": "x64", "message": "x64", "source_timestamp": "i64", "taken": "i32"},
    "ros2:rcl_take": {"message": "x64"},
    "ros2:rclcpp_take": {"message": "x64"},
    "ros2:callback_start": {"callback": "x64", "is_intra_process": "i32"},
    "ros2:callback_end": {"callback": "x64"},
    "ros2:rclcpp_executor_get_next_ready": {},
    "ros2:rclcpp_executor_wait_for_work": {"timeout": "i64"},
    "ros2:rclcpp_executor_execute": {"handle": "x64"},
    "dds:write": {"writer": "x64", "timestamp": "i64"},
    "dds:read": {"reader": "x64", "buffer": "x64"},
}
TOPICS = ("/scan", "/odom", "/cmd_vel", "/map")
PERIODS = (5, 10, 20)  # ms


def choose_loss(seed):
    return losses.choose(seed, (losses.BURST, losses.BURSTS, losses.PACKET, losses.STREAM, losses.END))


@dataclasses.dataclass
class Subscription:
    node: object
    topic: str
    depth: int
    handle: int = 0
    callback: int = 0
    waiting: collections.deque = dataclasses.field(default_factory=collections.deque)


@dataclasses.dataclass
class Publisher:
    topic: str
    handle: int = 0
    writer: int = 0


@dataclasses.dataclass
class Message:
    topic: str
    stamp: int
    written: Event
    taken: list = dataclasses.field(default_factory=list)  # events of rmw_take, the first first
    called: list = dataclasses.field(default_factory=list)
    dropped: bool = False


@dataclasses.dataclass
class Node:
    name: str
    pid: int
    cpu: int
    publishers: list
    subscriptions: list = dataclasses.field(default_factory=list)
    timer: int | None = None
    timer_handle: int = 0
    timer_callback: int = 0
    service: str | None = None
    service_handle: int = 0
    service_callback: int = 0
    work: collections.deque = dataclasses.field(default_factory=collections.deque)
    waits: bool = False
    states: Timeline = dataclasses.field(default_factory=Timeline)
    in_process: Subscription | None = None  # to its own topic, without the network


class World:
    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        rng = self.random
        self.version = GALACTIC if seed % 4 else IRON
        self.now = self.last = 1_000_000_000
        self.handles = itertools.count(0x55F500001000, 0x70)
        self.queue, self.sequence = [], itertools.count()
        self.events, self.messages, self.calls, self.open_calls = [], [], [], []
        cpus = rng.randrange(1, 4)
        topics = TOPICS[: rng.choice((1, 1, 2, 3, 4))]
        self.nodes = []
        for number in range(rng.randrange(2, 5)):
            published = rng.sample(topics, rng.randrange(0, len(topics) + 1)) or [topics[0]]
            node = Node(f"node{number}", 4000 + 10 * number, rng.randrange(cpus), [Publisher(t) for t in published])
            node.publishers.append(Publisher("/rosout"))  # nobody subscribes to it
            node.timer = rng.choice(PERIODS) if number == 0 or rng.random() < 0.5 else None
            node.service = f"/{node.name}/reset" if rng.random() < 0.4 else None
            self.nodes.append(node)
        for node in self.nodes[1:]:
            for topic in rng.sample(topics, rng.randrange(1, len(topics) + 1)):
                node.subscriptions.append(Subscription(node, topic, rng.choice((1, 10, 10))))
        if rng.random() < 0.3:
            node = self.nodes[0]
            node.in_process = Subscription(node, f"/{node.name}/local", 10)
        self.end = self.now + 60_000_000
        for node in self.nodes:
            self.describe(node)
        self.begin_run()
        while self.queue and self.queue[0][0] < self.end:
            time, _, action = heapq.heappop(self.queue)
            self.now = max(time, self.last)
            action()

    def at(self, delay, action):
        heapq.heappush(self.queue, (self.now + delay, next(self.sequence), action))

    def emit(self, node, name, **fields):
        self.last = max(self.now, self.last + 1)
        context = {"vpid": node.pid, "vtid": node.pid, "procname": node.name}
        name = name if ":" in name else f"ros2:{name}"
        event = Event(self.last, node.cpu, name, fields, context, len(self.events))
        self.events.append(event)
        return event

    # What nodes say of themselves first

    def describe(self, node):
        handle = lambda: next(self.handles)
        own = handle()
        self.emit(node, "rcl_init", context_handle=handle(), version="3.1.2")
        self.emit(node, "rcl_node_init", node_handle=own, rmw_handle=handle(), node_name=node.name, namespace="/")
        for publisher in node.publishers:
            publisher.handle, publisher.writer, publisher.rmw = handle(), handle(), handle()
            self.emit(node, "rcl_publisher_init", publisher_handle=publisher.handle, node_handle=own,
                      rmw_publisher_handle=publisher.rmw, topic_name=publisher.topic, queue_depth=10)
        for subscription in [*node.subscriptions, *([node.in_process] if node.in_process else [])]:
            subscription.handle, subscription.rmw, subscription.callback = handle(), handle(), handle()
            reference = handle()
            self.emit(node, "rcl_subscription_init", subscription_handle=subscription.handle, node_handle=own,
                      rmw_subscription_handle=subscription.rmw, topic_name=subscription.topic, queue_depth=subscription.depth)
            self.emit(node, "rclcpp_subscription_init", subscription_handle=subscription.handle, subscription=reference)
            self.emit(node, "rclcpp_subscription_callback_added", subscription=reference, callback=subscription.callback)
            self.emit(node, "rclcpp_callback_register", callback=subscription.callback, symbol="void (Node::?)(Msg)")
        if node.timer:
            node.timer_handle, node.timer_callback = handle(), handle()
            self.emit(node, "rcl_timer_init", timer_handle=node.timer_handle, period=node.timer * 1_000_000)
            self.emit(node, "rclcpp_timer_callback_added", timer_handle=node.timer_handle, callback=node.timer_callback)
            self.emit(node, "rclcpp_timer_link_node", timer_handle=node.timer_handle, node_handle=own)
            self.emit(node, "rclcpp_callback_register", callback=node.timer_callback, symbol="void (Node::tick)()")
        if node.service:
            node.service_handle, node.service_callback = handle(), handle()
            self.emit(node, "rcl_service_init", service_handle=node.service_handle, node_handle=own,
                      rmw_service_handle=handle(), service_name=node.service)
            self.emit(node, "rclcpp_service_callback_added", service_handle=node.service_handle, callback=node.service_callback)
            self.emit(node, "rclcpp_callback_register", callback=node.service_callback, symbol="void (Node::reset)()")

    # What they do

    def begin_run(self):
        rng = self.random
        self.now = self.last
        for node in self.nodes:
            self.at(rng.randrange(1_000, 900_000), lambda node=node: self.look(node))
            if node.timer:
                self.at(rng.randrange(1_000, 3_000_000), lambda node=node: self.tick(node))
            if node.service:
                self.at(rng.randrange(1_000_000, 9_000_000), lambda node=node: self.request(node))

    def tick(self, node):
        self.at(node.timer * 1_000_000, lambda: self.tick(node))
        self.give(node, ("timer", None))

    def request(self, node):
        """Somebody calls its service, from a host that is not traced."""
        self.at(self.random.randrange(4_000_000, 20_000_000), lambda: self.request(node))
        self.give(node, ("service", None))

    def give(self, node, work):
        node.work.append(work)
        if node.waits:
            node.waits = False
            self.at(self.random.randrange(5_000, 60_000), lambda: self.look(node))

    def look(self, node):
        """The executor looks for something that is ready, and waits where there is nothing."""
        node.states.set(self.emit(node, "rclcpp_executor_get_next_ready").time, "ready")
        if not node.work:
            node.states.set(self.emit(node, "rclcpp_executor_wait_for_work", timeout=-1).time, "waiting")
            node.waits = True
            return
        kind, subscription = node.work.popleft()
        if kind == "message" and not subscription.waiting:
            self.at(1_000, lambda: self.look(node))
            return
        handle = {"timer": node.timer_handle, "service": node.service_handle}.get(kind) or subscription.handle
        node.states.set(self.emit(node, "rclcpp_executor_execute", handle=handle).time, "executing")
        message = None
        if kind == "message":
            message = subscription.waiting.popleft()
            buffer = next(self.handles)
            if self.version == GALACTIC:
                self.emit(node, "dds:read", reader=subscription.handle + 8, buffer=buffer)
            taken = self.emit(node, "rmw_take", rmw_subscription_handle=subscription.rmw, message=buffer,
                              source_timestamp=message.stamp, taken=1)
            message.taken.append(taken)
            self.emit(node, "rcl_take", message=buffer)
            self.emit(node, "rclcpp_take", message=buffer)
        callback, name = {
            "timer": (node.timer_callback, f"timer {node.timer}ms"),
            "service": (node.service_callback, node.service),
        }.get(kind) or (subscription.callback, subscription.topic)
        begin = self.emit(node, "callback_start", callback=callback, is_intra_process=int(kind == "local"))
        if message:
            message.called.append(begin)
        call = [f"callback {name} ({node.name})", begin, None, node]
        self.open_calls.append(call)
        self.at(self.time_of(node, kind), lambda: self.finish(node, kind, subscription, call, callback))

    def time_of(self, node, kind):
        """How long a callback takes."""
        return self.random.randrange(2_000, 300_000) * self.random.choice((1, 1, 1, 8))

    def finish(self, node, kind, subscription, call, callback):
        rng = self.random
        for publisher in node.publishers:
            if kind in ("timer", "message") and rng.random() < (0.6 if publisher.topic != "/rosout" else 0.2):
                if kind == "timer" or not any(s.topic == publisher.topic for s in node.subscriptions):
                    self.publish(node, publisher)
        if kind == "timer" and node.in_process and rng.random() < 0.6:
            self.give(node, ("local", node.in_process))  # it says nothing of that but with the callback
        call[2] = self.emit(node, "callback_end", callback=callback)
        self.open_calls.remove(call)
        self.calls.append(call)
        if rng.random() < 0.05:
            node.cpu = rng.randrange(1 + max(n.cpu for n in self.nodes))
        self.at(rng.randrange(1_000, 6_000), lambda: self.look(node))

    def publish(self, node, publisher):
        message = next(self.handles)
        self.emit(node, "rclcpp_publish", message=message)
        self.emit(node, "rcl_publish", publisher_handle=publisher.handle, message=message)
        # The time that it carries is that of the wall, read a moment before the event.
        stamp = OFFSET + self.last - self.random.randrange(200, 900)
        if self.version == GALACTIC:
            self.emit(node, "rmw_publish", message=message)
            written = self.emit(node, "dds:write", writer=publisher.writer, timestamp=stamp)
        else:
            written = self.emit(node, "rmw_publish", rmw_publisher_handle=publisher.rmw, message=message, timestamp=stamp)
        sent = Message(publisher.topic, stamp, written)
        self.messages.append(sent)
        for other in self.nodes:
            for subscription in other.subscriptions:
                if subscription.topic == publisher.topic and other is not node:
                    self.at(self.random.randrange(20_000, 150_000), lambda s=subscription: self.arrive(s, sent))

    @staticmethod
    def oldest(subscription):
        dropped = subscription.waiting.popleft()
        dropped.dropped = True

    def arrive(self, subscription, message):
        if len(subscription.waiting) == subscription.depth:
            self.oldest(subscription)
        subscription.waiting.append(message)
        self.give(subscription.node, ("message", subscription))

    # What is recorded, and what is true of it

    def record(self, folder, loss=None):
        streams = collections.defaultdict(list)
        for event in self.events:
            streams[event.cpu].append(event)
        described = sum(len(n.publishers) + 6 * len(n.subscriptions) + 14 for n in self.nodes)
        packets = {}
        for cpu, events in sorted(streams.items()):  # what is said first fills the first packet
            packets[cpu] = [events[:described], *losses.packets_of(events[described:], 40)]
        kept, lost = losses.lose(loss, random.Random(self.seed), packets)
        classes = dict(CLASSES)
        if self.version == IRON:
            classes["ros2:rmw_publish"] = {"rmw_publisher_handle": "x64", "message": "x64", "timestamp": "i64"}
            classes = {name: fields for name, fields in classes.items() if not name.startswith("dds:")}
        env = {"hostname": "robot", "domain": "ust", "tracer_name": "lttng-ust", "tracer_major": 2, "tracer_minor": 13,
               "tracer_buffering_scheme": "uid", "tracer_buffering_id": 1000, "architecture_bit_width": 64}
        trace = ctf.Trace(classes, env=env, offset=OFFSET, contexts=CONTEXTS, uuid=f"33333333-2222-4333-8444-{self.seed:012x}")
        path = trace.write(folder / "ros2", kept)
        return self.truth(path, kept, lost, loss)

    def truth(self, path, kept, lost, how):
        written = {event.order: event for packets in kept.values() for packet in packets for event in packet.events}
        times = [event.time for event in written.values()]
        begin, end = min(times), max(times)
        spans = []
        for label, first, last, node in [*self.calls, *self.open_calls]:
            spans += self.shown("slice", label, first, last, written, lost, end)
        heard = {s.topic for node in self.nodes for s in node.subscriptions}
        for message in self.messages:
            if message.topic in heard:
                spans += self.waits(message, written, lost, end)
        tracks = [
            Track("executor", "executor", self.states(node, written, lost, begin, end), parent=f"{node.name} {node.pid}")
            for node in self.nodes
        ]
        published = {m.topic for m in self.messages} & heard

        handles = {f"{handle:#x}": p.topic for node in self.nodes for p in node.publishers for handle in (p.rmw, p.writer)}

        def means(label):
            """Rows may be by topic or not; of a publisher whose topic was lost its handle is known."""
            for what in ("take", "callback"):
                if f"-> {what}" in label:
                    known = handles.get(label.rpartition(" ")[2])
                    if known:
                        return (f"publish -> {what} {known}",)
                    topics = [topic for topic in published if topic in label] or sorted(published)
                    return tuple(f"publish -> {what} {topic}" for topic in topics)
            for node in self.nodes:
                if label.startswith("callback") and node.service and node.service in label:
                    return (f"callback {node.service} ({node.name})",)
            return (label,)

        truth = Truth(
            [path], spans, [t for t in tracks if t.states], begin, end, len(written),
            dict(collections.Counter(event.name for event in written.values())),
            losses=lost, means=means, further=check_more, variant=f"{self.version}, loss {how}",
            ask=("publish -> take*", "publish -> callback*", *sorted({call[0] for call in self.calls})[:2]),
        )
        return moved(truth)

    def waits(self, message, written, lost, end):
        for what, events in (("take", message.taken), ("callback", message.called)):
            label = f"publish -> {what} {message.topic}"
            if not events:
                if message.written.order in written:
                    # Dropped by a full queue, or not yet taken: nothing says which.
                    yield Span("wait", label, message.written.time, None, UNKNOWN, False)
                continue
            for number, event in enumerate(events):
                # It is waited for until the first subscriber has it; that each has a wait of its own is as true.
                for span in self.shown("wait", label, message.written, event, written, lost, end):
                    yield span if number == 0 else dataclasses.replace(span, sure=False)

    @staticmethod
    def shown(kind, label, first, last, written, lost, end):
        began, ended = first.order in written, last is not None and last.order in written
        if began and ended:
            yield Span(kind, label, first.time, last.time, WHOLE, not touched(first.time, last.time, lost))
        elif began and (last is None or last.time > end):
            fate = OPEN if kind == "slice" else UNKNOWN
            yield Span(kind, label, first.time, None, fate, fate == OPEN and not touched(first.time, end, lost))
        elif last is not None and first.time <= end:
            yield Span(kind, label, first.time, last.time, WHOLE, False)

    @staticmethod
    def states(node, written, lost, begin, end):
        recorded = {event.time for event in written.values()}
        states = []
        for since, until, state in node.states.pieces(begin, end):
            if since not in recorded:
                states.append(State((state,), since, until, False))
                continue
            states += [State((state,), b, e, sure) for b, e, sure in sure_parts(since, until, lost)]
        return states


def moved(truth):
    later = lambda time: None if time is None else time + OFFSET
    truth.spans = [dataclasses.replace(s, begin=later(s.begin), end=later(s.end)) for s in truth.spans]
    for track in truth.tracks:
        track.states = [dataclasses.replace(s, begin=s.begin + OFFSET, end=s.end + OFFSET) for s in track.states]
    truth.losses = [dataclasses.replace(x, begin=x.begin + OFFSET, end=x.end + OFFSET) for x in truth.losses]
    truth.begin, truth.end = later(truth.begin), later(truth.end)
    return truth
