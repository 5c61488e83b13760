// Runs a statement of SQL from standard input with DuckDB and prints each row as a line of JSON.
//
// sql.mjs <STATEMENT
// Exit 77, with a word, when DuckDB is not there. NODE_PATH leads to the modules.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
let duckdb;
try {
    duckdb = require("@duckdb/node-api");
} catch {
    process.stderr.write("there is no @duckdb/node-api\n");
    process.exit(77);
}
const connection = await (await duckdb.DuckDBInstance.create(":memory:", { threads: "1" })).connect();
const reader = await connection.runAndReadAll(readFileSync(0, "utf8"));
const names = reader.columnNames();
for (const row of reader.getRowsJson()) console.log(JSON.stringify(Object.fromEntries(row.map((value, i) => [names[i], value]))));
