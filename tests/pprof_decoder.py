"""A reader of pprof's profiles, written from the numbers of their fields alone (pprof: proto/profile.proto)."""

import gzip

# Message → number → (name, type, repeated); a type that is a message is decoded too.
MESSAGES = {
    "Profile": {
        1: ("sample_type", "ValueType", True), 2: ("sample", "Sample", True), 3: ("mapping", "Mapping", True),
        4: ("location", "Location", True), 5: ("function", "Function", True), 6: ("string_table", "string", True),
        9: ("time_nanos", "int64", False), 10: ("duration_nanos", "int64", False), 14: ("default_sample_type", "int64", False),
    },
    "ValueType": {1: ("type", "int64", False), 2: ("unit", "int64", False)},
    "Sample": {1: ("location_id", "uint64", True), 2: ("value", "int64", True)},
    "Mapping": {1: ("id", "uint64", False), 2: ("memory_start", "uint64", False), 3: ("memory_limit", "uint64", False), 7: ("has_functions", "bool", False)},
    "Location": {1: ("id", "uint64", False), 2: ("mapping_id", "uint64", False), 3: ("address", "uint64", False), 4: ("line", "Line", True)},
    "Line": {1: ("function_id", "uint64", False), 2: ("line", "int64", False)},
    "Function": {1: ("id", "uint64", False), 2: ("name", "int64", False), 3: ("system_name", "int64", False), 4: ("filename", "int64", False)},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return value, at


def decode(message, data):
    known = MESSAGES[message]
    result = {name: [] if repeated else 0 for name, _, repeated in known.values()}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind, repeated = known[tag >> 3]  # raises where the field is none of pprof's
        if tag & 7 == 0:
            raw, at = varint(data, at)
            values = [raw - (1 << 64) if kind == "int64" and raw >> 63 else raw]
        elif tag & 7 == 2:
            size, at = varint(data, at)
            part, at = data[at : at + size], at + size
            if len(part) != size:
                raise ValueError(f"{message}.{name} is cut")
            values = [decode(kind, part) if kind in MESSAGES else part.decode()]
        else:
            raise ValueError(f"{message}.{name} has wire type {tag & 7}")
        if repeated:
            result[name] += values
        else:
            result[name] = values[0]
    return result


class Profile:
    """What a profile says; raises where references lead nowhere."""

    def __init__(self, content):
        self.message = decode("Profile", gzip.decompress(content))
        self.texts = self.message["string_table"]
        if self.texts[0] != "":
            raise ValueError("the first text is not empty")
        self.types = [(self.texts[one["type"]], self.texts[one["unit"]]) for one in self.message["sample_type"]]
        self.functions = {one["id"]: self.texts[one["name"]] for one in self.message["function"]}
        self.files = {one["id"]: self.texts[one["filename"]] for one in self.message["function"]}
        mappings = {one["id"] for one in self.message["mapping"]}
        self.locations = {}
        for one in self.message["location"]:
            if one["id"] == 0 or one["id"] in self.locations or one["mapping_id"] not in mappings:
                raise ValueError(f"location {one}")
            lines = [self.functions[line["function_id"]] for line in one["line"]]
            self.locations[one["id"]] = lines or [hex(one["address"])]

    def places(self):
        """Function → (file, line) of the lines that name it."""
        return {
            self.functions[line["function_id"]]: (self.files[line["function_id"]], line["line"])
            for one in self.message["location"] for line in one["line"]
        }

    def stacks(self, kind):
        """Stack, the outermost function first → value, of one type."""
        place = [name for name, _ in self.types].index(kind)
        found = {}
        for sample in self.message["sample"]:
            if len(sample["value"]) != len(self.types):
                raise ValueError(f"a sample with {len(sample['value'])} values")
            stack = tuple(reversed([line for id in sample["location_id"] for line in self.locations[id]]))
            if sample["value"][place] != 0:
                found[stack] = found.get(stack, 0) + sample["value"][place]
        return found
