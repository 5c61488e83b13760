// ---- The panel: tables of text

function make(tag, properties, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(properties || {})) if (key in element) element[key] = value; else element.setAttribute(key, value);
	element.append(...children);
	return element;
}
const soft = text => make('span', {className: 'soft'}, text);
const said = text => [make('p', {className: 'soft'}, text)];
const heading = text => make('h3', {}, text);
const link = (text, onclick) => make('button', {className: 'link', onclick}, text);
function labelled(name, content) {
	const swatch = make('span', {className: 'swatch'});
	swatch.style.background = css(colours[name]);
	return make('span', {title: nameOf(name)}, swatch, content);
}
// Cells are text or elements.
const table = (caption, heads, list) => make('table', {}, make('caption', {}, caption),
	make('thead', {}, make('tr', {}, ...heads.map(head => make('th', {scope: 'col'}, head)))),
	make('tbody', {}, ...list.map(cells => make('tr', {}, ...cells.map(cell => make('td', {}, cell))))));
const pairs = list => make('dl', {}, ...list.filter(([, value]) => value !== '').flatMap(([key, value]) => [make('dt', {}, key), make('dd', {}, value)]));
const columns = (...list) => [make('div', {className: 'columns'}, ...list.map(parts => make('div', {}, ...parts)))];
const lengthOf = slice => slice.kind === INSTANTS ? 'instant' : duration(slice.length) + (slice.flags & UNKNOWN ? ' seen' : '');
const bySlice = slice => [labelled(slice.name, link(nameOf(slice.name), () => jump(slice))), slice.row.track.name, KINDS[slice.kind],
	moment(slice.begin), lengthOf(slice)];
const SLICE_HEADS = ['Name', 'Track', 'Kind', 'Begins', 'Duration'];

const content = {selection: selectionContent, latency: () => tallyTable(tallies.filter(t => !isDim(t.name)), 'The whole page'),
	range: rangeContent, list: listContent, found: foundContent, trace: traceContent, answer: () => [make('pre', {}, index.answer)]};
let tab = index.answer ? 'answer' : 'latency';
function showPanel(other = tab) {
	data.tab = tab = other;
	for (const button of $('tabs').children) button.setAttribute('aria-selected', button.id === tab);
	$('found').hidden = !found.text;
	$('answer').hidden = !index.answer;
	$('body').setAttribute('aria-labelledby', tab);
	$('body').replaceChildren(...content[tab]());
}
function selectionContent() {
	if (!selected) return said('Click a bar. The key ? lists others.');
	const s = selected, instant = s.kind === INSTANTS, t = tallyOf.get(keyOf(s.kind, s.name)) || {count: 0, parts: []}, longest = (s.lists || [[]])[0];
	const rank = longest.findIndex(each => isSame(each, s));
	const parts = [[make('h2', {}, labelled(s.name, nameOf(s.name))), pairs([
		['duration', lengthOf(s)],
		['compared', t.count > 1 ? (s.length / max(t.p50, 1)).toPrecision(3) + ' × the median' + (rank >= 0 ? ', rank ' + number(rank + 1) + ' of ' + number(t.count) : '') : ''],
		['begins', moment(s.begin)], ['clock', wallClock(s.begin)], ['ends', instant ? '' : moment(s.end)],
		['track', s.row.track.name], ['CPU', s.cpu], ['spent', s.spent],
		['waited', s.waited ? nameOf(s.waited.name) + ': ' + duration(s.waited.length) : ''], ['note', flagTexts(s.flags).join('; ')]])]];
	parts.push([heading('Arguments'), ...s.args === null ? said('kept of the longest of each name, and of marked ones')
		: [pairs(Object.entries(s.args).map(([key, value]) => [key, String(value) || '""']))]]);
	if (s.flows && s.flows.length) {
		parts.push([heading('Flows'), ...s.flows.map(flow => {
			const out = leads(s, flow) > 0, other = out ? flow.to : flow.from;
			return make('div', {}, link((out ? 'to ' : 'from ') + other.name + ', ' + duration(abs(flow.end - flow.begin)) + (out ? ' later' : ' before'),
				() => goTo(other, out ? flow.end : flow.begin)));
		})]);
	}
	if (longest.length > 1 && !instant) parts.push([heading('Longest of this name'), table('', [], longest.slice(0, 20).map((each, i) =>
		[String(i + 1), link(duration(each.length), () => jump(each)), moment(each.begin), each.row.track.name]))]);
	if (t.parts.length > 1) parts.push([heading('All of this name'), histogram(t.parts, 300, 74, s.length)]);
	return columns(...parts);
}
// Parts of an eighth of a doubling: [part, count]. `mark`: a duration.
function histogram(parts, w, h, mark = 0) {
	const chart = make('canvas', {width: w, height: h, role: 'img', 'aria-label': 'Histogram of durations'}), on = chart.getContext('2d');
	const low = parts[0][0], high = parts[parts.length - 1][0], tall = h > 40, foot = tall ? h - 14 : h,
		step = w / max(high - low + 1, 8), most = max(...parts.map(([, n]) => n));
	on.fillStyle = theme.accent;
	for (const [part, n] of parts) {
		const size = max(1.2, Math.sqrt(n / most) * (foot - 2));
		on.fillRect((part - low) * step, foot - size, max(step - .4, .8), size);
	}
	on.fillStyle = theme.text;
	if (mark > 0) on.fillRect((log2(mark) * 8 - low) * step, 0, 1.5, foot);
	on.fillStyle = theme.soft;
	on.font = '10.5px ' + FONT;
	if (tall) on.fillText(duration(2 ** (low / 8)), 0, h - 2);
	on.textAlign = 'right';
	if (tall) on.fillText(duration(2 ** ((high + 1) / 8)), w, h - 2);
	return chart;
}

const COLUMNS = {name: 'Name', count: 'Count', total: 'Total', self: 'Self', p50: 'p50', p90: 'p90', p99: 'p99', p999: 'p99.9', max: 'Max', parts: 'Distribution'};
let sortedBy = 'total', upwards = false;
function tallyTable(list, caption) {
	const by = sortedBy === 'name' ? (a, b) => collator.compare(nameOf(b.name), nameOf(a.name)) : (a, b) => b[sortedBy] - a[sortedBy];
	const sorted = [...list].sort((a, b) => (a.kind === STATES) - (b.kind === STATES) || (upwards ? -by(a, b) : by(a, b)) || a.name - b.name);
	const heads = Object.keys(COLUMNS).map(id => id === 'parts' ? COLUMNS.parts : make('button', {
		textContent: COLUMNS[id] + (id !== sortedBy ? '' : upwards ? ' ▴' : ' ▾'),
		onclick: () => { upwards = sortedBy === id && !upwards; sortedBy = id; showPanel(); }}));
	const made = table(caption + (sorted.length > 300 ? ': 300 of ' + number(sorted.length) + ' names, search for others' : ''), heads,
		sorted.slice(0, 300).map(t => [
		labelled(t.name, make('span', {}, nameOf(t.name), t.kind === SLICES ? '' : soft(' ' + KINDS[t.kind]))),
		make('span', {textContent: number(t.count || t.unknown), title: t.unknown === 0 ? '' : number(t.unknown) + ' of unknown duration beside'}),
		...['total', 'self', 'p50', 'p90', 'p99', 'p999'].map(key => t.count === 0 ? '–' : duration(t[key])),
		t.count === 0 ? '–' : link(duration(t.max), async () => jump(t.longest || (await detailsOf(t.kind, t.name))[0][0])),
		t.parts.length === 0 ? '' : histogram(t.parts, 130, 16)]));
	made.className = 'numbers';
	return [made];
}
// Durations in 128 parts of each doubling: the upper bits of a double.
const real = new Float64Array(1), word = new Uint32Array(real.buffer);
function lowerOf(part) { word[0] = 0; word[1] = part << 13; return real[0]; }
class Parts {
	constructor() { Object.assign(this, {counts: new Map(), count: 0, total: 0, max: -1, least: Infinity}); }
	add(length, row, at) {
		++this.count;
		this.total += length;
		this.least = min(this.least, length);
		if (length > this.max) Object.assign(this, {max: length, longest: {row, at}});
		real[0] = length;
		const part = word[1] >>> 13;
		this.counts.set(part, (this.counts.get(part) || 0) + 1);
	}
	tally(kind, name) {
		const sorted = [...this.counts].sort(([a], [b]) => a - b), eighths = new Map();
		for (const [part, n] of sorted) {
			const low = lowerOf(part), eighth = low < 1 ? -1 : floor(log2(low) * 8);
			eighths.set(eighth, (eighths.get(eighth) || 0) + n);
		}
		const quantile = share => {
			const rank = max(1, ceil(share * this.count * (1 - 1e-12)));
			if (rank === 1 || rank === this.count) return rank === 1 ? this.least : this.max;
			let passed = 0;
			const [part] = sorted.find(([, n]) => (passed += n) >= rank), low = lowerOf(part), high = lowerOf(part + 1);
			return min(this.max, max(this.least, low === 0 || (low % 1 === 0 && high - low <= 1) ? low : (low + high) / 2));
		};
		return {...this, kind, name, unknown: 0, self: NaN, p50: quantile(.5), p90: quantile(.9), p99: quantile(.99), p999: quantile(.999), parts: [...eighths]};
	}
}
// Read for a tab, again when `of` changes; `read` is told whether it still counts.
const reading = {};
function readFor(id, of, read) {
	if (reading[id] && reading[id].of === of) return reading[id].list;
	const mine = reading[id] = {of, list: null};
	read(() => reading[id] === mine).then(list => { mine.list = list; if (reading[id] === mine && tab === id) showPanel(); });
	return null;
}
// Of all slices, states and waits that begin within the range.
async function measure([from, to], counts) {
	const sums = new Map();
	for (const place of rows.filter(row => row.kind !== COUNTER && row.kind !== INSTANTS).flatMap(row => row.blocks)) {
		if (place.last < from || place.earliest > to) continue;
		const made = await slicesOf(place);
		if (!counts()) return null;
		for (let i = 0; i < made.n; ++i) {
			const begin = made.begin[i] - (made.earlier.get(i) || 0), key = keyOf(place.row.kind, made.name[i]);
			if (begin < from || begin > to || made.flags.get(i) & UNKNOWN) continue;
			if (!sums.has(key)) sums.set(key, new Parts());
			sums.get(key).add(made.end[i] - begin, place.row, place.before + i);
		}
	}
	return [...sums].map(([key, parts]) => parts.tally(floor(key / 4294967296), key % 4294967296));
}
function rangeContent() {
	if (!range) return said('Drag with Shift, or press m: the table of what begins in a range of time.');
	const list = readFor('range', String(range), counts => measure(range, counts));
	return !list ? said('Reading …') : tallyTable(list, 'What begins within ' + duration(range[1] - range[0]) + ' from ' + moment(range[0]));
}
async function readView(counts) {
	const {from, to} = view, most = 400, list = [];
	for (const {row} of lines.filter(line => line.row && line.row.kind !== COUNTER)) {
		let some = 0;
		for (let i = blockAt(row.blocks, from); i < row.blocks.length && row.blocks[i].first <= to && some < most; ++i) {
			const made = await slicesOf(row.blocks[i]);
			if (!counts()) return [];
			for (let k = reaching(made.end, from); k < made.n && made.begin[k] <= to && some++ < most; ++k) list.push(sliceOf(row.blocks[i], made, k));
		}
	}
	return list.sort((a, b) => a.begin - b.begin).slice(0, most);
}
function listContent() {
	const list = readFor('list', view.from + ' ' + view.to, readView);
	if (!list) return said('Reading …');
	return [table('In view from ' + moment(view.from) + ' on, up to 400', SLICE_HEADS, list.map(bySlice))];
}
function traceContent() {
	const about = index.counts.filter(([text]) => text !== 'events').map(([text, n]) => [text, number(n)]);
	return columns([pairs([['begins', wallClock(0)], ['lasts', duration(index.span)], ['tables', index.tables.join(', ')],
		['slices', number(sliceCount)], ['tracks', number(index.tracks.length)], ['written by', 'tracedeck ' + index.program], ['note', index.notice]])],
	[heading('Left out, or not as it should be'), ...about.length === 0 ? said('nothing') : [pairs(about)]],
	[heading('Losses and damage'), ...index.gaps.length === 0 ? said('none') : index.gaps.slice(0, 100).map(gap =>
		make('div', {}, link(nameOf(gap[2]) + ', ' + duration(gap[1] - gap[0]) + ' at ' + moment(gap[0]),
			() => show(2 * gap[0] - gap[1] - 1e3, 2 * gap[1] - gap[0] + 1e3))))]);
}

// ---- Search

async function search(text) {
	let longer = -1;
	found.text = text.trim();
	found.list = null;
	const words = found.text.toLowerCase().replace(/>\s*([\d.]+)\s*([nuµm]?)s\b/, (_, size, prefix) => {
		longer = size * {n: 1, u: 1e3, 'µ': 1e3, m: 1e6, '': 1e9}[prefix];
		return '';
	}).trim();
	const long = new Set(tallies.filter(t => t.max > longer).map(t => t.name));
	found.names = found.text === '' ? null : new Set([...long].filter(id => nameOf(id).toLowerCase().includes(words)));
	data.found = '';
	makeColours();
	draw();
	remember();
	showPanel(found.text !== '' ? 'found' : tab === 'found' ? 'latency' : tab);
	if (found.text === '') return;
	// Arguments are searched that are there already, and those of some names more.
	const {names: mine} = found, list = [], blocks = new Set();
	const says = each => words !== '' && each.args && Object.values(each.args).some(value => String(value).toLowerCase().includes(words));
	for (const t of [...tallies].sort((a, b) => b.max - a.max)) {
		const [block] = detailsPlace.get(keyOf(t.kind, t.name)) || [];
		if (block === undefined || t.max <= longer || (blocks.size >= 40 && !cache.has(block))) continue;
		blocks.add(block);
		const lists = await detailsOf(t.kind, t.name);
		if (found.names !== mine) return;
		list.push(...lists.flat().filter(each => each.length > longer && (mine.has(t.name) || says(each))));
	}
	found.list = list.sort((a, b) => b.length - a.length);
	data.found = list.length;
	if (tab === 'found') showPanel();
}
function foundContent() {
	if (!found.list) return said('Searching …');
	return found.list.length === 0 ? said('Nothing: names are searched, and arguments that are kept.')
		: [table(number(found.names.size) + ' names; the longest of them', SLICE_HEADS, found.list.slice(0, 200).map(bySlice))];
}
