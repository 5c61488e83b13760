// ---- Colours: by name, of the 24 in page.css

const IDLE = /^(idle|parked|sleep\w*|waiting|blocked|suspended|unknown|inactive|dead|destroyed|delay)\b/i;
const theme = {};
let colours = null;  // by name; behind them the pale ones

const pack = ([r, g, b]) => (0xff000000 | b << 16 | g << 8 | r) >>> 0;
const css = c => `rgb(${c & 255} ${c >> 8 & 255} ${c >> 16 & 255})`;
const parse = hex => pack([1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
function mix(a, b, part) {
	const one = shift => (a >> shift & 255) * (1 - part) + (b >> shift & 255) * part + .5;
	return (0xff000000 | one(16) << 16 | one(8) << 8 | one(0)) >>> 0;
}
// By hash; names that take most of the time share none.
const hues = (() => {
	const places = 24, taken = new Set();
	const list = names.map(({text}) => {
		let h = 2166136261;
		for (let i = 0; i < text.length; ++i) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
		h = Math.imul(h ^ h >>> 15, 2246822519);
		return ((h ^ h >>> 13) >>> 0) % places;
	});
	for (const t of [...tallies].sort((a, b) => b.total - a.total)) {
		if (t.kind > 1 || taken.size === places || IDLE.test(nameOf(t.name))) continue;
		while (taken.has(list[t.name])) list[t.name] = (list[t.name] + 5) % places;
		taken.add(list[t.name]);
	}
	return list;
})();
const isDim = name => found.names && !found.names.has(name);
function makeColours() {
	const style = getComputedStyle(document.documentElement), list = name => style.getPropertyValue('--' + name).trim();
	for (const name of ['bg', 'band', 'panel', 'line', 'text', 'soft', 'accent', 'gap', 'damage', 'ink', 'idle', 'counter']) theme[name] = list(name);
	const background = parse(theme.bg), bars = list('bars').split(' ');
	colours = new Uint32Array(2 * names.length);
	names.forEach(({text}, id) => {
		const colour = parse(id === 0 ? theme.gap : IDLE.test(text) ? theme.idle : bars[hues[id]]);
		colours[id] = isDim(id) ? mix(background, colour, .22) : colour;
		colours[names.length + id] = mix(background, colours[id], .45);
	});
	mapped = false;
}

// ---- View

const HEIGHT = [18, 16, 13, 42], RULER = 26, PAD = 5, HEAD = 24;
const canvas = $('canvas'), pen = canvas.getContext('2d', {alpha: false});
const view = {from: 0, to: span, scroll: 0};
const found = {text: '', names: null, list: null};
let range = null, selected = null, hover = null;
let width = 0, height = 0, scale = 1, gutter = 200, lines = [], bottomLine = 0, mapped = false;
let image, pixels, lineA, lineB, tops, cover, best, first, second;

const collator = new Intl.Collator('en', {numeric: true});
const roots = (() => {
	const top = [];
	for (const track of tracks.slice(1)) {
		if (track.first !== track.id) tracks[track.first].rows.push(...track.rows);
		else (tracks[track.parent] ? tracks[tracks[track.parent].first].children : top).push(track);
	}
	const order = list => list.filter(track => {
		track.children = order(track.children);
		track.rows.sort((a, b) => '21034'[a.kind] - '21034'[b.kind] || a.track.lane - b.track.lane || a.depth - b.depth);
		return track.rows.length + track.children.length;
	}).sort((a, b) => a.rank - b.rank || collator.compare(a.name, b.name) || a.id - b.id);
	return order(top);
})();
function layOut() {
	const bands = [];
	let y = 0, odd = false;
	lines = [];
	for (const track of index.tracks) track.lines = [];
	const add = line => { lines.push(line); (line.row || line).track.lines.push(line); };
	const put = (track, level) => {
		const group = track.children.length, begin = y;
		if (group) { add({y, h: HEAD, track, level, group}); y += HEAD; }
		if (group && track.closed) return;
		const shown = track.rows.filter(row => row.kind !== WAITS);
		if (shown.length) {
			y += PAD;
			shown.forEach((row, i) => {
				add({y, h: HEIGHT[row.kind], track, row, level: level + (group ? 1 : 0), label: i === 0 && !group, odd});
				y += HEIGHT[row.kind] + 1;
			});
			y += PAD;
			if (odd) bands.push({y: begin, h: y - begin, band: true});
			odd = !odd;
		}
		for (const child of track.children) put(child, level + 1);
	};
	for (const root of roots) put(root, 0);
	bottomLine = y;
	lines = [...bands, ...lines];
}
const lineOfTrack = ({lines, first}) => lines.find(line => line.row && line.row.kind < INSTANTS) || lines[0] || tracks[first].lines[0] || null;
const lineOf = row => row.track.lines.find(line => line.row === row) || lineOfTrack(row.track);
const topOf = line => line.y + RULER - view.scroll;

function resize() {
	const box = $('stage').getBoundingClientRect();
	scale = min(devicePixelRatio || 1, 3);
	width = max(200, round(box.width));
	height = max(60, round(box.height));
	gutter = min(220, max(96, round(width * .16)));
	const W = canvas.width = round(width * scale), H = canvas.height = round(height * scale);
	image = pen.createImageData(W, H);
	pixels = new Uint32Array(image.data.buffer);
	lineA = new Uint32Array(W); lineB = new Uint32Array(W); tops = new Float32Array(W);
	cover = new Float32Array(W); best = new Float64Array(W); first = new Int32Array(W); second = new Int32Array(W);
	mapped = false;
	draw();
}
const perPixel = () => (view.to - view.from) / max(1, width - gutter);
const xOf = time => gutter + (time - view.from) / perPixel();
const timeAt = x => view.from + (x - gutter) * perPixel();
function show(from, to) {
	const room = span * .02, size = min(max(to - from, 20, span / 1e12), span + 2 * room);
	view.from = min(max((from + to - size) / 2, -room), span + room - size);
	view.to = view.from + size;
	draw();
	remember();
}
function scrollTo(y) {
	view.scroll = max(0, min(y, bottomLine + 40 - (height - RULER)));
	draw();
	remember();
}

// ---- Bars: pixels of one line, copied down

const MANY = -2, LOST = -3;  // in `second`, beside names
let unit = 0, left = 0, W = 0, labels = [];  // nanoseconds a pixel of the device, and where bars are

// A part of the line, taken up to `share`; the greatest `weight` gives the colour.
function cell(x0, x1, name, weight, share) {
	if (x1 <= 0 || x0 >= W) return;
	x0 = max(x0, 0);
	x1 = min(x1, W);
	let i = x0 | 0;
	const last = x1 - 1e-9 | 0;
	if (i >= last) return pixel(i, name, weight, (x1 - x0) * share);
	pixel(i, name, weight, (i + 1 - x0) * share);
	for (++i; i < last; ++i) pixel(i, name, weight, share);
	pixel(last, name, weight, (x1 - last) * share);
}
function pixel(i, name, weight, part) {
	cover[i] += part;
	if (first[i] < 0) { first[i] = name; best[i] = weight; } else if (first[i] === name) { if (weight > best[i]) best[i] = weight; }
	else if (weight > best[i]) { second[i] = first[i]; first[i] = name; best[i] = weight; } else if (second[i] === -1) second[i] = name;
}
function share(from, to, with_) {
	for (let i = max(0, from | 0); i < min(W, to); ++i) if (second[i] === -1 || with_ === LOST) second[i] = with_;
}
// Bins no wider than a pixel, if any.
function levelOf(row, {levels}) {
	let level = 0, size = 2 ** row.exponent;
	while (level + 1 < levels.length && size * 4 <= unit) { ++level; size *= 4; }
	return [levels[level], size];
}
function paintBins(row, made, from, to) {
	const [{n, busy, count, longest, name}, size] = levelOf(row, made), base = row.blocks[0].first, step = size / unit;
	const stop = min(n, ceil((to - base) / size));
	for (let i = max(0, floor((from - base) / size)); i < stop; ++i) {
		if (busy[i] === 0) continue;
		const x = (base + i * size - view.from) / unit;
		cell(x, x + step, row.kind === INSTANTS ? name[i] + names.length : name[i], longest[i] * 256 + busy[i], busy[i] / 255);
		if (count[i] >= 128) share(x, x + step, MANY);
	}
}
function paintBlock(line, {begin, end, name, flags, n}) {
	const isInstant = line.row.kind === INSTANTS;
	let crowd = 0, crowded = -1;
	for (let i = reaching(end, view.from); i < n && begin[i] <= view.to; ++i) {
		const x0 = (begin[i] - view.from) / unit, flag = flags.size === 0 ? 0 : flags.get(i) || 0;
		let x1 = (end[i] - view.from) / unit;
		if (x1 - x0 >= 3) {
			if (x1 - x0 >= 30 * scale) labels.push({x0, x1, name: name[i], line, flag});
			x1 -= round(scale);
		} else if (x1 - x0 < 1) {
			// Of what shares a pixel, dozens say enough.
			const px = x0 | 0;
			crowd = px === crowded ? crowd + 1 : 0;
			crowded = px;
			if (crowd > 24) {
				share(px, px + 1, MANY);
				i = reaching(end, view.from + (px + 1) * unit, i + 1) - 1;
				continue;
			}
		}
		cell(x0, isInstant ? x0 + 2 * scale : max(x1, x0 + .02), isInstant || flag & (BEGAN_BEFORE | OPEN) ? name[i] + names.length : name[i], end[i] - begin[i], 1);
		if (flag & ACROSS_LOSS) share(x0, x1, LOST);
	}
}
// Whether bins are drawn (`made` is null while they are not here), else which blocks.
function inView(row) {
	const {blocks} = row, start = blockAt(blocks, view.from), made = row.pyramid === 0 ? null : look(row.pyramid, decodePyramid(row));
	const stop = firstOf(start, blocks.length, i => blocks[i].first > view.to);
	return {made, start, stop, coarse: row.pyramid !== 0 && (2 ** row.exponent < 2 * unit || stop - start > 12)};
}
function paintRow(line) {
	const {row} = line, {made, coarse, start, stop} = inView(row);
	if (coarse) { if (made) paintBins(row, made, view.from, view.to); return; }
	for (const place of row.blocks.slice(start, stop)) {
		const decoded = look(place.id, decodeSlices(place));
		if (decoded) paintBlock(line, decoded);
		else if (made) paintBins(row, made, max(view.from, place.first), min(view.to, place.last));
	}
}
function copyDown(top, bottom, background) {
	const against = parse(theme.text), grey = parse(theme.gap), period = 6 * round(scale), size = bottom - top;
	let mixed = false;
	for (let i = 0; i < W; ++i) {
		lineA[i] = lineB[i] = background;
		tops[i] = top;
		if (first[i] < 0) continue;
		// Taken in part: as high, or as strong at a bar's edge. What is short shows.
		const part = cover[i], other = second[i], edge = part < 1 && (cover[i - 1] >= 1 || cover[i + 1] >= 1);
		let colour = colours[first[i]];
		if (edge) colour = mix(background, colour, .55 + .45 * part);
		else tops[i] = max(top, bottom - max(3 * scale, part * size));
		lineA[i] = lineB[i] = colour;
		if (other !== -1) lineB[i] = other === MANY ? mix(colour, against, .16) : other === LOST ? mix(colour, grey, .4) : colours[other];
		mixed ||= tops[i] > top || other !== -1;
	}
	for (let y = top; y < bottom; ++y) {
		const at = y * canvas.width + left;
		if (!mixed) pixels.set(lineA.subarray(0, W), at);
		else for (let i = 0; i < W; ++i) pixels[at + i] = y < tops[i] ? background : (i + y) % period < period / 2 ? lineA[i] : lineB[i];
	}
}
function paintCounter(row, top, bottom, background) {
	const least = new Float64Array(W).fill(Infinity), most = new Float64Array(W).fill(-Infinity), last = new Float64Array(W);
	const {blocks} = row, {made, coarse, start, stop} = inView(row);
	let before = null;
	const put = (time, value, low = value, high = value) => {
		const x = (time - view.from) / unit, i = x | 0;
		if (x < 0) before = value;
		else if (i < W) { least[i] = min(least[i], low); most[i] = max(most[i], high); last[i] = value; }
	};
	if (coarse && made) {
		const [bins, size] = levelOf(row, made), base = blocks[0].first;
		const end = min(bins.n, (view.to - base) / size + 1);
		for (let i = max(0, floor((view.from - base) / size) - 1); i < end; ++i) if (bins.any[i]) put(base + i * size, bins.last[i], bins.least[i], bins.most[i]);
	} else if (!coarse) {
		for (const place of blocks.slice(max(0, start - 1), stop)) {
			const points = look(place.id, decodePoints(place));
			if (!points) continue;
			for (let i = max(0, reaching(points.time, view.from) - 1); i < points.n && points.time[i] <= view.to; ++i) put(points.time[i], points.value[i]);
		}
	}
	const size = row.most - row.least || 1, placed = value => round(bottom - 1 - (value - row.least) / size * (bottom - top - 2));
	const strong = parse(theme.counter), band = mix(background, strong, .55), tint = mix(background, strong, .25);
	const end = min(W, (span - view.from) / unit);
	for (let i = 0; i < end; ++i) {
		const any = most[i] !== -Infinity;
		if (!any && before === null) continue;
		const low = placed(min(least[i], before === null ? Infinity : before)), high = placed(max(most[i], before === null ? -Infinity : before));
		if (any) before = last[i];
		for (let y = high, at = y * canvas.width + left + i; y < bottom; ++y, at += canvas.width) pixels[at] = y < high + scale ? strong : y < low ? band : tint;
	}
}

// ---- A frame

let scheduled = false, frames = 0;
function draw() {
	if (!scheduled) requestAnimationFrame(frame);
	scheduled = true;
}
function frame() {
	const began = performance.now();
	scheduled = false;
	wanted.clear();
	unit = perPixel() / scale;
	left = round(gutter * scale);
	W = canvas.width - left;
	labels = [];
	const background = parse(theme.bg), band = parse(theme.band), edge = round(RULER * scale);
	pixels.fill(background);
	for (const line of lines) {
		const top = max(round(topOf(line) * scale), edge), bottom = min(round((topOf(line) + line.h) * scale), canvas.height);
		if (bottom <= top || line.group) continue;
		if (line.band) { pixels.fill(band, top * canvas.width, bottom * canvas.width); continue; }
		const behind = line.odd ? band : background;
		if (line.row.kind === COUNTER) { paintCounter(line.row, top, bottom, behind); continue; }
		cover.fill(0); first.fill(-1); second.fill(-1);
		paintRow(line);
		copyDown(top, bottom, behind);
	}
	pen.putImageData(image, 0, 0);
	pen.setTransform(scale, 0, 0, scale, 0, 0);
	pen.textBaseline = 'middle';
	pen.direction = 'ltr';
	pen.save();
	pen.beginPath();
	pen.rect(gutter, RULER, width - gutter, height - RULER);
	pen.clip();
	for (const gap of index.gaps) drawGap(gap);
	if (range) drawBand(xOf(range[0]), xOf(range[1]), RULER, height, theme.accent, .1);
	drawLabels();
	drawFlows();
	drawOutline(hover, theme.soft, 1);
	drawOutline(selected, theme.text, 2);
	pen.restore();
	drawGutter();
	drawRuler();
	drawMap();
	work();
	const pending = wanted.size + coming.size;
	Object.assign(data, {frames: ++frames, frame: (performance.now() - began).toFixed(2), from: view.from, to: view.to, scroll: view.scroll, pending});
	if (pending === 0 && !data.complete) data.complete = round(performance.now());
}
function box(x, y, w, h, colour, alpha = 1) {
	pen.globalAlpha = alpha;
	pen.fillStyle = colour;
	pen.fillRect(x, y, w, h);
	pen.globalAlpha = 1;
}
const FONT = getComputedStyle(document.body).fontFamily, widths = new Map();
// As much of a text as fits into `room`.
function write(text, x, y, room, colour, size = 12) {
	const font = size + 'px ' + FONT, key = size + text;
	if (pen.font !== font) pen.font = font;
	text = text.slice(0, 300);
	let wide = widths.get(key);
	if (widths.size > 20000) widths.clear();
	if (wide === undefined) widths.set(key, wide = pen.measureText(text).width);
	if (wide > room) text = text.slice(0, max(0, floor(text.length * room / wide - 1.5))) + '…';
	pen.fillStyle = colour;
	if (text !== '…') pen.fillText(text, x, y);
}
function drawLabels() {
	for (const {x0, x1, name, line, flag} of labels) {
		const from = gutter + max(x0, 0) / scale + 5, colour = isDim(name) ? theme.soft : flag & (BEGAN_BEFORE | OPEN) ? theme.text : theme.ink;
		write(nameOf(name), from, topOf(line) + line.h / 2 + .5, gutter + min(x1, W) / scale - 5 - from, colour, 11.5);
	}
}
function drawBand(x0, x1, y, h, colour, alpha) {
	x0 = max(x0, gutter - 4);
	const size = max(min(x1, width + 4) - x0, 2);
	if (x0 > width || x1 < gutter) return;
	box(x0, y, size, h, colour, alpha);
	box(x0, y, 1, h, colour, .75);
	box(x0 + size - 1, y, 1, h, colour, .75);
}
const gapColour = gap => names[gap[2]].category === 'damage' ? theme.damage : theme.gap;
function drawGap(gap) {
	const band = (y, h) => drawBand(xOf(gap[0]), xOf(gap[1]), y, h, gapColour(gap), .22);
	if (gap[3] === 0) band(RULER, height);
	else for (const line of tracks[gap[3]].lines) if (line.row) band(topOf(line), line.h);
}
function drawFlows() {
	const near = flowPlaces.filter(place => place.last >= view.from && place.earliest <= view.to);
	const shown = (near.length > 4 ? [] : near).flatMap(place => (look(place.id, decodeFlows(place)) || {list: []}).list)
		.filter(flow => flow.end >= view.from && min(flow.begin, flow.end) <= view.to);
	data.flows = shown.length;
	for (const flow of shown) {
		const own = selected && leads(selected, flow) !== 0, from = lineOfTrack(flow.from), to = lineOfTrack(flow.to);
		if ((!own && shown.length > 60) || !from || !to) continue;
		const x0 = xOf(flow.begin), x1 = xOf(flow.end), y0 = topOf(from) + from.h / 2, y1 = topOf(to) + to.h / 2;
		const bend = max(18, min(90, abs(x1 - x0) / 2)), colour = own ? theme.accent : theme.soft;
		pen.globalAlpha = own ? 1 : .5;
		pen.strokeStyle = colour;
		pen.lineWidth = own ? 2 : 1.2;
		pen.beginPath();
		pen.moveTo(x0, y0);
		pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
		pen.stroke();
		pen.fillStyle = colour;
		pen.beginPath();
		for (const [dx, dy] of [[0, 0], [7, 3.5], [7, -3.5]]) pen.lineTo(x1 - dx, y1 - dy);
		pen.fill();
		pen.globalAlpha = 1;
	}
}
function drawOutline(slice, colour, thick) {
	const line = slice && lineOf(slice.row);
	if (!line) return;
	const x0 = max(xOf(slice.begin), gutter - 5), x1 = min(xOf(slice.end), width + 5), y = topOf(line);
	if (x1 >= gutter - 5 && x0 <= width + 5) {
		pen.strokeStyle = colour;
		pen.lineWidth = thick;
		pen.strokeRect(x0 - 1, y - .5, max(x1 - x0, 2) + 2, line.h + 1);
	}
	// How long it was waited for, before it began.
	if (slice.waited) {
		const from = max(xOf(slice.waited.begin), gutter - 5);
		box(from, y + line.h / 2 - 1, max(0, x0 - from - 1), 2, theme.accent, .8);
		box(from, y + 3, 2, line.h - 6, theme.accent);
	}
}
function drawGutter() {
	box(0, RULER, gutter - 1, height, theme.panel);
	box(gutter - 1, 0, 1, height, theme.line);
	for (const line of lines) {
		const y = topOf(line), x = 12 + line.level * 12, room = gutter - x - 12;
		if (y > height || y + line.h < RULER) continue;
		if (line.group) {
			write(line.track.closed ? '▸' : '▾', x - 4, y + HEAD / 2, 20, theme.soft);
			write(line.track.name, x + 10, y + HEAD / 2, room - 10, theme.text, 12.5);
		} else if (line.label) {
			write(line.track.name || '(unnamed)', x, y + min(line.h, 18) / 2 + .5, room, theme.text);
			if (line.row.kind === COUNTER) write('up to ' + number(+line.row.most.toPrecision(6)) + ' ' + line.track.unit, x, y + 25, room, theme.soft, 10.5);
		}
	}
}
function drawRuler() {
	const raw = perPixel() * 110, power = 10 ** floor(Math.log10(raw)), step = max(1, power * [1, 2, 5, 10].find(f => f * power >= raw));
	box(0, 0, width, RULER - 1, theme.panel);
	box(0, RULER - 1, width, 1, theme.line);
	for (let t = ceil((view.from + since) / step) * step - since; t <= view.to; t += step) {
		const x = round(xOf(t));
		box(x, RULER - 7, 1, 6, theme.soft);
		write(moment(t, step), x + 4, RULER / 2 - 2, width - x - 4, theme.soft, 11);
	}
	box(0, 0, gutter - 1, RULER - 1, theme.panel);
	write(duration(view.to - view.from) + ' in view', 12, RULER / 2, gutter - 20, theme.soft, 11);
}
function paintMap() {
	const chart = $('map'), W = chart.width = round(chart.clientWidth * scale), H = chart.height = round(chart.clientHeight * scale);
	const [base, exponent, counts] = index.rate, bars = new Float64Array(W), on = chart.getContext('2d'), at = time => time / span * W;
	on.fillStyle = theme.panel;
	on.fillRect(0, 0, W, H);
	counts.forEach((n, i) => {
		const x0 = at(base + i * 2 ** exponent), x1 = at(base + (i + 1) * 2 ** exponent);
		for (let x = max(0, x0 | 0); x < min(W, x1); ++x) bars[x] += n * (min(x1, x + 1) - max(x0, x)) / (x1 - x0);
	});
	const most = bars.reduce((a, b) => max(a, b), 1e-9);
	on.fillStyle = css(mix(parse(theme.panel), parse(theme.accent), .46));
	bars.forEach((n, x) => { const h = n === 0 ? 0 : max(1, Math.sqrt(n / most) * (H - 8 * scale)); on.fillRect(x, H - h, 1, h); });
	for (const gap of index.gaps) {
		on.fillStyle = gapColour(gap);
		on.fillRect(at(gap[0]), 0, max(at(gap[1] - gap[0]), 2 * scale), 5 * scale);
	}
}
function drawMap() {
	const style = $('window').style, place = time => 100 * min(1, max(0, time / span));
	style.left = place(view.from) + '%';
	style.width = place(view.to) - place(view.from) + '%';
	if (!mapped) paintMap();
	mapped = true;
}
