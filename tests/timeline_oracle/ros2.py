"""ROS 2: callbacks, executors and messages."""

from .table import Base, in_context, text, thread_name, thread_of


def in_units(ns):
    """In the largest unit that it is a whole number of."""
    for size, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "us")):
        if ns and ns % size == 0:
            return f"{ns // size}{unit}"
    return f"{ns}ns"


def alike(*topics):
    return None in topics or len(set(topics)) == 1


def applies(event):
    return (event.get("name") or "").startswith("ros2:")


class Table(Base):
    def prepare(self, events):
        self.symbols = {}  # (vpid, callback) -> symbol
        self.owners = {}  # (vpid, callback) -> topic, timer or service
        self.subscriptions = {}  # (vpid, rclcpp subscription) -> (vpid, rcl subscription)
        self.nodes = {}  # (vpid, node) -> name
        self.timers = {}  # (vpid, timer) -> callback
        self.names = {}  # (vpid, handle) -> topic, service or period, with the node
        self.topics = {}  # (vpid, publisher) -> topic
        self.heard = set()  # topics that somebody subscribes to
        self.taken_from = {}  # (vpid, subscription of the middleware) -> topic
        self.publishing = {}  # thread -> (publisher that it used last, stream)
        self.published = {}  # time of a message at its source -> topic, of the last one
        self.waiting = {}  # (wait, time of a message at its source) -> topics of those that nobody took
        self.ring = set()  # (vpid, buffer, index) of messages on their way
        self.without = set()  # callbacks of timers and services, which are called with no message
        self.taken = set()  # threads that took a message and called nothing yet
        self.messages = {}  # thread -> (time at its source of the message taken last, stream, topic)

    def event(self, event):
        name = event.get("name") or ""
        if event.get("time") is None:
            return
        self.thread = thread_of(event, self.sheet.stream)
        self.vpid = in_context(event, "vpid")
        if name == "dds:write":
            self.sheet.bounds()
            self.publish(event.get("fields") or {})
            self.publishing.pop(self.thread, None)
            return
        if not name.startswith("ros2:"):
            return
        rule = getattr(self, "on_" + name.removeprefix("ros2:"), None)
        if rule is None:
            return
        try:
            self.sheet.pass_losses()
            if "_init" not in name and not name.endswith(("_added", "_register")):
                self.sheet.bounds()
            rule(event.get("fields") or {})
        except KeyError:
            self.sheet.instant("lacking", name, "lacking")

    # Names.

    def on_rclcpp_callback_register(self, fields):
        self.symbols[self.vpid, fields["callback"]] = fields["symbol"]

    def on_rclcpp_subscription_init(self, fields):
        self.subscriptions[self.vpid, fields["subscription"]] = (self.vpid, fields["subscription_handle"])

    def on_rcl_node_init(self, fields):
        self.nodes[self.vpid, fields["node_handle"]] = fields["node_name"]

    def with_node(self, name, fields):
        node = self.nodes.get((self.vpid, fields.get("node_handle")))
        return name if node is None else f"{name} ({node})"

    def on_rcl_publisher_init(self, fields):
        self.topics[self.vpid, fields["publisher_handle"]] = fields["topic_name"]

    def on_rcl_publish(self, fields):
        self.publishing[self.thread] = (fields["publisher_handle"], self.sheet.stream)

    def on_rcl_subscription_init(self, fields):
        self.heard.add(fields["topic_name"])
        self.names[self.vpid, fields["subscription_handle"]] = self.with_node(fields["topic_name"], fields)
        self.taken_from[self.vpid, fields["rmw_subscription_handle"]] = fields["topic_name"]

    def on_rcl_timer_init(self, fields):
        self.names[self.vpid, fields["timer_handle"]] = f"timer {in_units(fields['period'])}"

    def on_rcl_service_init(self, fields):
        self.names[self.vpid, fields["service_handle"]] = self.with_node(fields["service_name"], fields)

    def on_rclcpp_subscription_callback_added(self, fields):
        self.own(fields, self.subscriptions.get((self.vpid, fields["subscription"])))

    def on_rclcpp_timer_callback_added(self, fields):
        self.own(fields, (self.vpid, fields["timer_handle"]))
        self.without.add((self.vpid, fields["callback"]))
        self.timers[self.vpid, fields["timer_handle"]] = fields["callback"]

    def on_rclcpp_timer_link_node(self, fields):
        """Which node a timer is of is said when its callback has long been added."""
        timer = (self.vpid, fields["timer_handle"])
        if timer in self.timers and timer in self.names and (self.vpid, fields["node_handle"]) in self.nodes:
            self.owners[self.vpid, self.timers[timer]] = self.with_node(self.names[timer], fields)

    def on_rclcpp_service_callback_added(self, fields):
        self.own(fields, (self.vpid, fields["service_handle"]))
        self.without.add((self.vpid, fields["callback"]))

    def own(self, fields, handle):
        """What a callback serves is made before the callback is added to it."""
        if handle in self.names:
            self.owners[self.vpid, fields["callback"]] = self.names[handle]

    def callback(self, callback):
        """Topic, service or timer; else the symbol; else the address."""
        key = (self.vpid, callback)
        return self.owners.get(key) or self.symbols.get(key) or hex(callback)

    # Callbacks and executors.

    def on_callback_start(self, fields):
        callback = fields["callback"]
        self.sheet.begin("callback", (self.thread, callback), self.callback(callback), thread_name(self.thread))
        if self.thread in self.taken:
            self.taken.discard(self.thread)
            self.sheet.flow("take -> callback")
        if self.thread in self.messages:
            message, _, topic = self.messages.pop(self.thread)
            if (self.vpid, callback) not in self.without:
                self.served("publish -> callback", message, topic)

    def on_callback_end(self, fields):
        callback = fields["callback"]
        self.messages.pop(self.thread, None)  # what it takes meanwhile it takes itself
        self.sheet.end("callback", (self.thread, callback), thread_name(self.thread), self.callback(callback))

    def executor(self, state):
        self.sheet.state(thread_name(self.thread) + " executor", state)

    def on_rclcpp_executor_wait_for_work(self, fields):
        self.executor("waiting")

    def on_rclcpp_executor_get_next_ready(self, fields):
        self.executor("ready")

    def on_rclcpp_executor_execute(self, fields):
        self.executor("executing")

    # Messages.

    def publish(self, fields):
        if "timestamp" in fields:
            publisher, _ = self.publishing.get(self.thread, (None, None))
            topic = self.topics.get((self.vpid, publisher))
            self.published[fields["timestamp"]] = topic
            handle = fields.get("rmw_publisher_handle", fields.get("writer"))
            name = topic or ("?" if handle is None else hex(handle))
            for what in ("publish -> take", "publish -> callback"):
                topics = self.waiting.setdefault((what, fields["timestamp"]), [])
                if not any(alike(topic, one) for one in topics):
                    topics.append(topic)
                    self.sheet.wait(what, (fields["timestamp"], topic), is_shown_open=topic in self.heard, name=name, is_awaited=topic in self.heard)

    on_rmw_publish = publish

    def served(self, what, message, topic):
        """Messages of one time are told apart by their topic, where it is known."""
        topics = self.waiting.get((what, message), [])
        meant = [one for one in topics if alike(topic, one)]
        unclear = len(meant) > 1
        for one in meant if unclear else meant[:1]:
            topics.remove(one)
            pair = self.sheet.waited(what, (message, one), thread_name(self.thread))
            if unclear:
                pair.flags.add("inferred_end")

    def on_rmw_take(self, fields):
        if not fields.get("taken", 1):
            return
        message = fields["source_timestamp"]
        topic = self.taken_from.get((self.vpid, fields.get("rmw_subscription_handle")))
        if message in self.published and alike(topic, self.published[message]):
            self.sheet.flow("publish -> take")
        self.served("publish -> take", message, topic)
        self.taken.add(self.thread)
        if None not in self.thread and self.thread[0] not in ("cpu", "stream"):
            self.messages[self.thread] = (message, self.sheet.stream, topic)

    def lost(self, stream):
        if stream is None:
            self.messages.clear()
            self.publishing.clear()
        self.messages = {thread: one for thread, one in self.messages.items() if one[1] != stream}
        self.publishing = {thread: one for thread, one in self.publishing.items() if one[1] != stream}

    def on_rclcpp_ring_buffer_enqueue(self, fields):
        key = (self.vpid, fields["buffer"], fields["index"])
        if fields.get("overwritten"):
            self.sheet.instant("lost message", "overwritten", thread_name(self.thread))
        self.ring.add(key)
        self.sheet.counter("buffered", f"buffer {fields['buffer']}", fields["size"])

    def on_rclcpp_ring_buffer_dequeue(self, fields):
        key = (self.vpid, fields["buffer"], fields["index"])
        if key in self.ring:
            self.ring.discard(key)
            self.sheet.flow("enqueue -> dequeue")
        self.sheet.counter("buffered", f"buffer {fields['buffer']}", fields["size"])

    def on_rcl_lifecycle_transition(self, fields):
        self.sheet.state(f"lifecycle {fields['state_machine']}", text(fields["goal_label"]))
