// Reads Parquet files, or those of Arrow (ipc), with somebody else's program and prints each row as a line of JSON, numbers
// exact. `stream` reads arrays of Arrow's C data interface from standard input: the sizes of a JSON object and of the
// buffers, the object, and the buffers, which it points to; a line `null` ends the rows of each.
//
// read.mjs duckdb|hyparquet|arrow|ipc FILE...
// read.mjs stream
// Exit 77, with a word, when the reader is not there. NODE_PATH leads to the modules.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
// Modules of one kind only are found by their files, which NODE_PATH leads to.
const load = async (name) => import(require.resolve(name));

// JSON whose integers are exact, and that says what JSON cannot: {"$real": "NaN"}, {"$bytes": hex}.
function text(value) {
    if (value === null || value === undefined) return "null";
    if (typeof value === "bigint") return value.toString();
    if (typeof value === "number") {
        if (Number.isInteger(value) && !Object.is(value, -0) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
        return Number.isFinite(value) && !Object.is(value, -0) ? JSON.stringify(value) : `{"$real":"${Object.is(value, -0) ? "-0.0" : value}"}`;
    }
    if (typeof value === "boolean") return String(value);
    if (typeof value === "string") return JSON.stringify(value);
    if (value instanceof Uint8Array) return `{"$bytes":"${Buffer.from(value).toString("hex")}"}`;
    if (Array.isArray(value)) return `[${value.map(text).join(",")}]`;
    const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${text(each)}`);
    return `{${members.join(",")}}`;
}

// Values of DuckDB's client: lists, structures and decimals are objects of its own.
function plain(value) {
    if (value === null || typeof value !== "object") return value;
    if (value.items !== undefined) return value.items.map(plain);
    if (value.entries !== undefined) return Object.fromEntries(Object.entries(value.entries).map(([key, each]) => [key, plain(each)]));
    if (value.bytes !== undefined) return value.bytes;
    if (value.micros !== undefined) return { $micros: value.micros };
    if (value.scale !== undefined && value.value !== undefined) return value.value;
    return value;
}

async function* duckdb(files) {
    const { DuckDBInstance } = require("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    for (const file of files) {
        const quoted = file.replaceAll("'", "''");
        const reader = await connection.runAndReadAll(`select * from read_parquet('${quoted}', hive_partitioning = false)`);
        const names = reader.columnNames();
        for (const row of reader.getRows()) yield Object.fromEntries(row.map((value, i) => [names[i], plain(value)]));
    }
}

// Timestamps are dates to hyparquet, and decimals numbers: {"$rounded": NUMBER} where these do not hold all integers.
function rounded(value) {
    if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) return { $rounded: value };
    if (Array.isArray(value)) return value.map(rounded);
    if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
    if (value instanceof Date) return { $millis: value.getTime() };
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)]));
}

async function* hyparquet(files) {
    const { parquetReadObjects } = await load("hyparquet");
    const { compressors } = await load("hyparquet-compressors");
    for (const file of files) {
        const bytes = readFileSync(file);
        const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
        for (const row of await parquetReadObjects({ file: buffer, compressors, utf8: false })) yield rounded(row);
    }
}

// Values of apache-arrow: vectors, rows of structures.
function arrowPlain(value, type) {
    if (value === null || value === undefined) return null;
    const children = type.children;
    if (type.constructor.name.startsWith("List")) return Array.from({ length: value.length }, (_, i) => arrowPlain(value.get(i), children[0].type));
    if (type.constructor.name.startsWith("Struct")) return Object.fromEntries(children.map((child) => [child.name, arrowPlain(value[child.name], child.type)]));
    if (type.constructor.name.startsWith("Timestamp")) return { $millis: value };
    if (type.constructor.name.startsWith("Decimal")) {
        const words = new BigUint64Array(value.slice().buffer);
        return BigInt.asIntN(128, words[0] | (words[1] << 64n));
    }
    return value;
}

function* arrowRows(bytes) {
    const { tableFromIPC } = require("apache-arrow");
    const table = tableFromIPC(bytes);
    const { fields } = table.schema;
    const columns = fields.map((_, k) => table.getChildAt(k));
    for (let i = 0; i < table.numRows; ++i)
        yield Object.fromEntries(fields.map((field, k) => [field.name, arrowPlain(columns[k].get(i), field.type)]));
}

async function* arrow(files) {
    const wasm = require("parquet-wasm");
    for (const file of files) yield* arrowRows(wasm.readParquet(new Uint8Array(readFileSync(file))).intoIPCStream());
}

async function* ipc(files) {
    require("apache-arrow");
    for (const file of files) yield* arrowRows(new Uint8Array(readFileSync(file)));
}

// An array of the C data interface as one of apache-arrow.
function arrowData(a, node, bytes) {
    const at = (number, Type) => {
        const place = node.buffers[number];
        return place ? new Type(bytes.slice(place[0], place[0] + place[1]).buffer) : new Type(0);
    };
    const children = node.children.map((child) => arrowData(a, child, bytes));
    const fields = children.map(({ type }, k) => new a.Field(node.children[k].name, type, node.children[k].nullable));
    const all = { length: node.length, nullCount: node.nulls, nullBitmap: node.buffers[0] ? at(0, Uint8Array) : undefined };
    const fixed = {
        c: [a.Int8, Int8Array], C: [a.Uint8, Uint8Array], s: [a.Int16, Int16Array], S: [a.Uint16, Uint16Array], i: [a.Int32, Int32Array],
        I: [a.Uint32, Uint32Array], l: [a.Int64, BigInt64Array], L: [a.Uint64, BigUint64Array], f: [a.Float32, Float32Array],
        g: [a.Float64, Float64Array], b: [a.Bool, Uint8Array],
    }[node.format];
    if (node.dictionary) {
        const dictionary = new a.Vector([arrowData(a, node.dictionary, bytes)]);
        return a.makeData({ ...all, type: new a.Dictionary(dictionary.type, new a.Int32()), data: at(1, Int32Array), dictionary });
    }
    if (fixed) return a.makeData({ ...all, type: new fixed[0](), data: at(1, fixed[1]) });
    switch (node.format) {
        case "d:38,0": return a.makeData({ ...all, type: new a.Decimal(0, 38, 128), data: at(1, Uint32Array) });
        case "u": return a.makeData({ ...all, type: new a.Utf8(), valueOffsets: at(1, Int32Array), data: at(2, Uint8Array) });
        case "z": return a.makeData({ ...all, type: new a.Binary(), valueOffsets: at(1, Int32Array), data: at(2, Uint8Array) });
        case "+l": return a.makeData({ ...all, type: new a.List(fields[0]), valueOffsets: at(1, Int32Array), child: children[0] });
        case "+s": return a.makeData({ ...all, type: new a.Struct(fields), children });
        default: throw new Error(`a column of format ${node.format}`);
    }
}

async function* stream() {
    const a = require("apache-arrow");
    let bytes = Buffer.alloc(0);
    for await (const chunk of process.stdin) {
        bytes = Buffer.concat([bytes, chunk]);
        while (bytes.length >= 8) {
            const begin = 8 + bytes.readUInt32LE(0);
            const end = begin + bytes.readUInt32LE(4);
            if (bytes.length < end) break;
            const data = arrowData(a, JSON.parse(bytes.subarray(8, begin)), new Uint8Array(bytes.subarray(begin, end)));
            bytes = bytes.subarray(end);
            yield* arrowRows(a.tableToIPC(new a.Table(new a.RecordBatch(new a.Schema(data.type.children), data)), "stream"));
            yield undefined;
        }
    }
}

const [reader, ...files] = process.argv.slice(2);
const readers = { duckdb, hyparquet, arrow, ipc, stream };
try {
    let lines = [];
    for await (const row of readers[reader](files)) {
        lines.push(text(row));
        if (lines.length === 1000 || row === undefined) process.stdout.write(lines.splice(0).join("\n") + "\n");
    }
    if (lines.length !== 0) process.stdout.write(lines.join("\n") + "\n");
} catch (error) {
    if (error.code !== "MODULE_NOT_FOUND" && error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    console.error(`there is no ${/'([^']*)'/.exec(error.message)?.[1] ?? reader}`);
    process.exitCode = 77;
}
