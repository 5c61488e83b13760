// Text of the trace reaches the screen through textContent and fillText alone (docs/page.md).
'use strict';

const {max, min, round, floor, abs, ceil, log2} = Math;
const $ = id => document.getElementById(id);
const on = (target, event, act) => target.addEventListener(event, act);
const data = document.body.dataset;  // numbers for tests
const KINDS = ['slice', 'state', 'instant', 'counter', 'wait'];
const SLICES = 0, STATES = 1, INSTANTS = 2, COUNTER = 3, WAITS = 4;
const BEGAN_BEFORE = 1, OPEN = 2, ACROSS_LOSS = 4, CONTINUED = 65536;
const UNKNOWN = 1 | 2 | 4 | 8 | 128 | 256;  // no duration is known

const index = JSON.parse($('index').textContent);
const {since} = index, span = max(index.span, 1);
const flagTexts = flags => index.flags.filter(([bit]) => flags & bit).map(([, text]) => text);

const names = [['', '(unknown)'], ...index.names].map(([category, text]) =>
	({category, text: /^(loss|damage)?$/.test(category) ? text : category + ' ' + text}));
const nameOf = id => (names[id] || names[0]).text;
const tracks = [null, ...index.tracks];
for (const track of index.tracks) Object.assign(track, {rows: [], children: [], closed: false});
// `first` is what its columns count from, `earliest` the earliest begin.
const placeOf = ([id, first, last, count, earliest]) => ({id, first, last, count, earliest: earliest === undefined ? first : earliest});
const rows = index.rows.map(([kind, track, depth, count, blocks, pyramid, exponent], id) => {
	const row = {id, kind, track: tracks[track], depth, count, pyramid, exponent, most: 0, least: 0, blocks: blocks.map(placeOf)};
	let before = 0;
	for (const place of row.blocks) { Object.assign(place, {row, before}); before += place.count; }
	row.track.rows.push(row);
	return row;
});
const flowPlaces = index.flows.map(placeOf);
const sliceCount = rows.reduce((sum, row) => sum + (row.kind === SLICES ? row.count : 0), 0);
const keyOf = (kind, name) => kind * 4294967296 + name;
const {tallies} = index;
const tallyOf = new Map(tallies.map(t => [keyOf(t.kind, t.name), t]));
const detailsPlace = new Map();
for (const [block, ...keys] of index.details) keys.forEach((key, at) => detailsPlace.set(key, [block, at]));

// ---- Numbers as text

function duration(ns) {
	if (Number.isNaN(ns)) return '–';
	const [unit, word] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']].find(([size]) => ns >= size) || [1, 'ns'], value = ns / unit;
	return value.toFixed(unit === 1 || value >= 100 ? 0 : value < 10 ? 2 : 1) + ' ' + word;
}
const number = n => n.toLocaleString('en-US');
// From the trace's begin, to `step` nanoseconds.
function moment(ns, step = 1) {
	const reach = span + since, places = reach >= 1e9 ? 9 : reach >= 1e6 ? 6 : reach >= 1e3 ? 3 : 0;
	ns += since;
	const digits = max(0, min(places, ceil(places - Math.log10(step) - 1e-9)));
	return (ns < 0 ? '−' : '+') + abs(ns / 10 ** places).toFixed(digits) + ' ' + {9: 's', 6: 'ms', 3: 'µs', 0: 'ns'}[places];
}
function wallClock(ns) {
	if (index.epoch === undefined) return '';
	const at = BigInt(index.epoch) + BigInt(round(ns)), date = new Date(Number(at / 1000000n));
	return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19).replace('T', ' ') + '.' + String(at % 1000000000n).padStart(9, '0') + ' UTC';
}

// ---- Blocks: inflated when they are wanted, between frames

const CACHE_BYTES = 96e6, AT_ONCE = 6;
const cache = new Map();   // block → decoded; the least recently used in front
const wanted = new Map();  // block → how to decode it: what the last frame missed
const coming = new Map();  // block → promise
let cacheBytes = 0;

function bytesOf(id) {
	const text = $('b' + id).textContent.slice(1, -1);
	return Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), c => c.charCodeAt(0));
}
async function inflate(id, decode) {
	const stream = new Blob([bytesOf(id)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
	const made = decode(new Uint8Array(await new Response(stream).arrayBuffer()));
	cache.set(id, made);
	cacheBytes += made.bytes || 0;
	for (const [old, {bytes}] of cache) {
		if (cacheBytes <= CACHE_BYTES) break;
		if (bytes) { cache.delete(old); cacheBytes -= bytes; }
	}
	return made;
}
async function fetchBlock(id, decode) {
	if (cache.has(id)) return cache.get(id);
	if (!coming.has(id)) coming.set(id, inflate(id, decode).finally(() => { coming.delete(id); draw(); work(); }));
	return coming.get(id);
}
function work() {
	for (const [id, decode] of wanted) {
		if (coming.size >= AT_ONCE) return;
		wanted.delete(id);
		fetchBlock(id, decode);
	}
}
// Decoded, or null while it is on its way.
function look(id, decode) {
	const made = cache.get(id);
	if (!made) { if (!coming.has(id)) wanted.set(id, decode); return null; }
	cache.delete(id);
	cache.set(id, made);
	return made;
}

class Bytes {
	constructor(bytes) { this.bytes = bytes; this.at = 0; }
	varint() {
		const bytes = this.bytes;
		let byte = bytes[this.at++];
		if (byte < 128) return byte;
		let value = byte & 127, scale = 128;
		do {
			byte = bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte >= 128);
		return value;
	}
	signed() {
		const value = this.varint();
		return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
	}
	part(size) { return this.bytes.subarray(this.at, this.at += size); }
	list(count, into = new Uint32Array(count), signed = false) {
		for (let i = 0; i < count; ++i) into[i] = signed ? this.signed() : this.varint();
		return into;
	}
	names(n, wide, table) {
		const bytes = this.part(wide ? 2 * n : n);
		return new Uint16Array(n).map((_, i) => table[wide ? bytes[2 * i] | bytes[2 * i + 1] << 8 : bytes[i]]);
	}
}
const reals = n => new Float64Array(n);
const utf8 = bytes => new TextDecoder().decode(bytes);

const decodeSlices = place => bytes => {
	const waits = place.row.kind === WAITS, from = new Bytes(bytes);
	const n = from.varint(), columns = from.varint(), table = from.list(from.varint());
	const begin = reals(n), end = reals(n);
	let time = place.first;
	from.varint();
	from.list(n, begin, waits);
	from.varint();
	from.list(n, end);
	for (let i = 0; i < n; ++i) {
		const length = end[i];
		time += begin[i];
		begin[i] = waits ? time - length : time;
		end[i] = waits ? time : time += length;
	}
	const made = {n, begin, end, name: from.names(n, columns & 1, table), flags: new Map(), earlier: new Map(), bytes: n * 18 + bytes.length};
	for (let left = from.varint(), at = 0; left > 0; --left) {
		at += from.varint();
		const flags = from.varint();
		made.flags.set(at, flags);
		if (flags & CONTINUED) made.earlier.set(at, from.varint());
	}
	if (columns & 2) made.cpu = from.list(n);
	if (columns & 4) made.spent = from.list(n, reals(n), true);
	if (columns & 8) made.args = Array.from({length: n}, () => from.part(from.varint()));
	return made;
};
const note = (row, value) => { row.most = max(row.most, value); row.least = min(row.least, value); };
const decodePoints = place => bytes => {
	const from = new Bytes(bytes), n = from.varint(), real = from.varint(), view = new DataView(bytes.buffer);
	from.varint();
	const time = from.list(n, reals(n)), value = reals(n);
	from.varint();
	for (let i = 0, now = place.first, last = 0; i < n; ++i) {
		time[i] = now += time[i];
		value[i] = real ? view.getFloat64(from.at + 8 * i, true) : last += from.signed();
		note(place.row, value[i]);
	}
	return {n, time, value, bytes: n * 16};
};
const decodePyramid = row => bytes => {
	const from = new Bytes(bytes), sizes = [...from.list(from.varint())];
	if (row.kind === COUNTER) {
		const floats = n => new Float32Array(from.part(4 * n).slice().buffer);
		const levels = sizes.map(n => ({n, any: from.part(n), least: floats(n), most: floats(n), last: floats(n)}));
		const top = levels[levels.length - 1];
		top.any.forEach((any, i) => { if (any) { note(row, top.most[i]); note(row, top.least[i]); } });
		return {levels};
	}
	const wide = from.varint(), table = from.list(from.varint());
	return {levels: sizes.map(n => ({n, busy: from.part(n), count: from.part(n), longest: from.part(n), name: from.names(n, wide, table)}))};
};
const decodeFlows = place => bytes => {
	const from = new Bytes(bytes), n = from.varint();
	let end = place.first;
	const one = () => { end += from.signed(); return {end, begin: end - from.signed(), from: tracks[from.varint()], to: tracks[from.varint()]}; };
	return {list: Array.from({length: n}, one), bytes: n * 80};
};
const decodeJson = bytes => ({json: JSON.parse(utf8(bytes)), bytes: bytes.length * 3});

// First element for which `fits` holds; for all behind it, too.
function firstOf(low, high, fits) {
	while (low < high) {
		const middle = (low + high) >> 1;
		if (fits(middle)) high = middle; else low = middle + 1;
	}
	return low;
}
const reaching = (list, time, from = 0) => firstOf(from, list.length, i => list[i] >= time);
const blockAt = (blocks, time) => firstOf(0, blocks.length, i => blocks[i].last >= time);

// ---- Slices by their places

function sliceOf(place, made, i) {
	const {row} = place, flags = made.flags.get(i) || 0;
	return {row, kind: row.kind, at: place.before + i, begin: made.begin[i], end: made.end[i], name: made.name[i], flags,
		length: made.end[i] - made.begin[i] + (made.earlier.get(i) || 0), cpu: made.cpu?.[i] ? made.cpu[i] - 1 : '',
		spent: made.spent?.[i] ? duration(made.spent[i]) : '', args: made.args && made.args[i].length ? JSON.parse(utf8(made.args[i])) : null};
}
const isSame = (a, b) => a && b && a.row === b.row && a.at === b.at;
const slicesOf = place => fetchBlock(place.id, decodeSlices(place));
const blockWith = (row, at) => row.blocks.find(place => at >= place.before && at < place.before + place.count);
async function sliceAt(row, at) {
	const place = row && row.kind !== COUNTER && blockWith(row, at);
	return place ? sliceOf(place, await slicesOf(place), at - place.before) : null;
}
// The longest and the noted slices of a kind and a name.
async function detailsOf(kind, name) {
	const place = detailsPlace.get(keyOf(kind, name));
	if (!place) return [[], []];
	return (await fetchBlock(place[0], decodeJson)).json[place[1]].map(list => list.map(([row, at, begin, end, length, flags, args]) =>
		({row: rows[row], at, begin, end, length, flags, args: args || null, name, kind})));
}
// What was waited for until the slice began.
async function waitBefore(slice) {
	const {row, begin} = slice;
	if (row.kind !== SLICES || row.depth !== 0) return null;
	for (const wait of row.track.rows.filter(each => each.kind === WAITS && each.track === row.track)) {
		for (const place of wait.blocks.filter(block => block.earliest <= begin && block.last >= begin)) {
			const made = await slicesOf(place), i = made.end.indexOf(begin);
			if (i >= 0) return sliceOf(place, made, i);
		}
	}
	return null;
}
const leads = (slice, flow) => slice.kind !== SLICES ? 0 :
	flow.to === slice.row.track && flow.end >= slice.begin && flow.end <= slice.end ? -1 :
		flow.from === slice.row.track && flow.begin >= slice.begin && flow.begin <= slice.end ? 1 : 0;
async function flowsOf(slice) {
	const own = [];
	for (const place of flowPlaces.filter(each => each.earliest <= slice.end && each.last >= slice.begin)) {
		own.push(...(await fetchBlock(place.id, decodeFlows(place))).list.filter(flow => leads(slice, flow) !== 0));
		if (own.length > 20) break;
	}
	return own.slice(0, 20);
}
