// ---- Selecting and moving

let turn = 0;
async function select(slice, reveal = false) {
	const mine = ++turn;
	selected = slice;
	hover = null;
	Object.assign(data, !slice ? {selected: '', name: '', length: ''} : {selected: slice.row.id + '.' + slice.at, name: nameOf(slice.name), length: slice.length});
	if (slice && reveal) bringIntoView(slice);
	draw();
	remember();
	if (!slice) return showPanel();
	$('status').textContent = [nameOf(slice.name), lengthOf(slice), moment(slice.begin), slice.row.track.name].join(', ');
	const [waited, lists, flows] = await Promise.all([waitBefore(slice), detailsOf(slice.kind, slice.name), flowsOf(slice)]);
	if (mine !== turn) return;
	const noted = lists.flat().find(each => isSame(each, slice));
	Object.assign(slice, {waited, lists, flows, args: slice.args || noted?.args || null});
	showPanel('selection');
	draw();
}
function bringIntoView({row, begin, end}) {
	for (let {track} = row; track; track = tracks[track.parent]) tracks[track.first].closed = false;
	layOut();
	const size = view.to - view.from, middle = (begin + end) / 2;
	const room = end - begin > size || end - begin < size / 400 ? max((end - begin) * 6, 2000) : size;
	if (room !== size || begin < view.from || end > view.to) show(middle - room / 2, middle + room / 2);
	const line = lineOf(row), tall = height - RULER;
	if (line && (line.y < view.scroll + 10 || line.y + line.h > view.scroll + tall - 10)) scrollTo(line.y - tall / 3);
}
// To a slice of a list, or to where a wait ended.
async function jump(slice) {
	const whole = await sliceAt(slice?.row, slice?.at);
	if (whole) await (whole.kind === WAITS ? goTo(whole.row.track, whole.end) : select(whole, true));
}
async function goTo(track, time) {
	for (const row of track.rows.filter(each => each.kind === SLICES && each.depth === 0 && each.track === track)) {
		const place = row.blocks[firstOf(0, row.blocks.length, i => row.blocks[i].first > time) - 1];
		if (!place) continue;
		const made = await slicesOf(place), i = firstOf(0, made.n, k => made.begin[k] > time) - 1;
		if (made.end[i] >= time) return select(sliceOf(place, made, i), true);
	}
	show(time - (view.to - view.from) / 2, time + (view.to - view.from) / 2);
}
// The next slice of the name on the row, forwards or back.
async function neighbour(step) {
	if (!selected) return;
	const {row, name} = selected;
	for (let at = selected.at + step, place; (place = blockWith(row, at)) !== undefined;) {
		const made = await slicesOf(place);
		for (let i = at - place.before; i >= 0 && i < made.n; i += step, at += step) if (made.name[i] === name) return select(sliceOf(place, made, i), true);
	}
}
async function byLength(step) {
	if (!selected) return;
	const [longest] = await detailsOf(selected.kind, selected.name), here = longest.findIndex(each => isSame(each, selected));
	const next = longest[here < 0 ? 0 : here + step];
	if (next) await jump(next);
}
// What lies under a point, if its block is there.
function under(x, y) {
	const line = x < gutter || y < RULER ? undefined : lines.find(each => each.row && y >= topOf(each) && y < topOf(each) + each.h + 1);
	if (!line || line.row.kind === COUNTER) return null;
	const time = timeAt(x), reach = perPixel() * 3, {blocks} = line.row;
	let nearest = null, distance = reach;
	for (let b = blockAt(blocks, time - reach); b < blocks.length && blocks[b].first <= time + reach; ++b) {
		const made = cache.get(blocks[b].id);
		if (!made) continue;
		const {begin, end} = made, from = reaching(end, time - reach);
		for (let i = from; i < made.n && begin[i] <= time + reach && i < from + 400; ++i) {
			const far = max(begin[i] - time, time - end[i], 0);
			if (far < distance || (far === distance && (!nearest || end[i] - begin[i] > nearest.length))) { distance = far; nearest = sliceOf(blocks[b], made, i); }
		}
	}
	return nearest;
}
function fit() {
	const [from, to] = range || (!selected ? [0, span] : [selected.begin, selected.end]), room = max((to - from) * .1, 10);
	const whole = (from === 0 && to === span) || abs(view.from - from + room) + abs(view.to - to - room) < (to - from) * .02 + 30;
	show(whole ? 0 : from - room, whole ? span : to + room);
}
function setRange(next) {
	range = next && [max(0, next[0]), min(span, next[1])];
	showPanel(!range ? tab : 'range');
	remember();
	draw();
}
function letGo() {
	if (found.text !== '' || $('search').value !== '') { $('search').value = ''; search(''); } else if (range) setRange(null);
	else if (selected) { select(null); showPanel('latency'); }
}

// ---- State in the address

let remembering = 0;
function remember() {
	clearTimeout(remembering);
	remembering = setTimeout(() => {
		const whole = list => list.map(round).join();
		const state = {v: whole([view.from, view.to]), y: round(view.scroll), s: selected && selected.row.id + ',' + selected.at,
			r: range && whole(range), t: tab !== 'latency' && tab, q: encodeURIComponent(found.text)};
		history.replaceState(null, '', '#' + Object.keys(state).filter(key => state[key]).map(key => key + '=' + state[key]).join('&'));
	}, 150);
}
async function restore() {
	const state = Object.fromEntries(location.hash.slice(1).split('&').map(part => [part[0], part.slice(2)]));
	const two = key => /^-?\d+,\d+$/.test(state[key]) ? state[key].split(',').map(Number) : null;
	const shown = two('v') || [0, span], place = two('s') || index.chosen;
	makeColours();
	show(...shown[0] < shown[1] ? shown : [0, span]);
	range = two('r');
	try { $('search').value = decodeURIComponent(state.q || ''); } catch { /* somebody else's hash */ }
	if ($('search').value !== '') await search($('search').value);
	if (place) await select(await sliceAt(rows[place[0]], place[1]), !state.s);
	scrollTo(Number(state.y) || view.scroll);
	showPanel(Object.hasOwn(content, state.t) && (state.t !== 'found' || found.text) ? state.t : index.answer ? 'answer' : tab);
}

// ---- Mouse and keys

const zoom = (factor, at = !pointer ? (view.from + view.to) / 2 : timeAt(max(pointer[0], gutter))) =>
	show(at - (at - view.from) * factor, at + (view.to - at) * factor);
const pan = part => { const step = (view.to - view.from) * part; show(view.from + step, view.to + step); };
const KEYS = {
	w: () => zoom(1 / 1.3), s: () => zoom(1.3), a: () => pan(-.12), d: () => pan(.12), ArrowLeft: () => pan(-.12), ArrowRight: () => pan(.12),
	ArrowUp: () => scrollTo(view.scroll - 60), ArrowDown: () => scrollTo(view.scroll + 60), f: fit,
	m: () => setRange(!selected ? [view.from, view.to] : [selected.begin, selected.end]),
	'/': () => $('search').focus(), '[': () => byLength(1), '{': () => byLength(-1), ']': () => neighbour(1), '}': () => neighbour(-1),
	'?': () => $('keys').showModal(), Escape: letGo,
};
let pointer = null;
function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
	if (event.target === $('search')) {
		if (!/^(Escape|Enter)$/.test(event.key)) return;
		canvas.focus();
		if (event.key === 'Enter') return found.list && found.list[0] && jump(found.list[0]);
	}
	if (event.key.startsWith('Arrow') && $('panel').contains(event.target)) return;
	const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
	if (act === undefined) return;
	$('tip').hidden = true;
	act();
	event.preventDefault();
}
function listen() {
	on(document, 'keydown', onKey);
	let typed = 0;
	on($('search'), 'input', () => { clearTimeout(typed); typed = setTimeout(() => search($('search').value), 120); });
	for (const button of $('tabs').children) button.onclick = () => { showPanel(button.id); remember(); };
	$('fit').onclick = fit;
	$('help').onclick = KEYS['?'];
	on(matchMedia('(prefers-color-scheme: dark)'), 'change', () => { makeColours(); showPanel(); draw(); });
	addEventListener('hashchange', restore);
	new ResizeObserver(resize).observe($('stage'));
	const wheel = event => max(-240, min(240, event.deltaY * (event.deltaMode === 1 ? 30 : 1)));
	on(canvas, 'wheel', event => {
		event.preventDefault();
		if (event.offsetX < gutter || event.shiftKey) scrollTo(view.scroll + (wheel(event) || event.deltaX));
		else if (abs(event.deltaX) > abs(event.deltaY)) pan(event.deltaX / width);
		else zoom(Math.exp(wheel(event) / 400), timeAt(event.offsetX));
	});
	let drag = null;
	on(canvas, 'pointerdown', event => {
		if (event.button !== 0) return;
		drag = {x: event.offsetX, y: event.offsetY, ...view, moved: false, choose: event.shiftKey || event.offsetY < RULER};
		canvas.setPointerCapture(event.pointerId);
	});
	on(canvas, 'pointermove', event => {
		const [x, y] = pointer = [event.offsetX, event.offsetY];
		if (!drag) return showTip(x, y);
		drag.moved = drag.moved || Math.hypot(x - drag.x, y - drag.y) > 4;
		if (!drag.moved) return;
		$('tip').hidden = true;
		if (drag.choose) { range = [timeAt(max(gutter, min(drag.x, x))), timeAt(max(drag.x, x))]; return draw(); }
		const step = (x - drag.x) * (drag.to - drag.from) / (width - gutter);
		show(drag.from - step, drag.to - step);
		scrollTo(drag.scroll + drag.y - y);
	});
	on(canvas, 'pointerup', event => {
		if (!drag) return;
		const {offsetX: x, offsetY: y} = event, {moved, choose} = drag;
		drag = null;
		if (moved) return choose ? setRange(range) : undefined;
		const group = x < gutter && lines.find(line => line.group && y >= topOf(line) && y < topOf(line) + line.h);
		if (group) { group.track.closed = !group.track.closed; layOut(); scrollTo(view.scroll); } else if (x >= gutter) select(under(x, y));
	});
	on(canvas, 'pointercancel', () => { drag = null; });
	on(canvas, 'pointerleave', () => { pointer = hover = null; $('tip').hidden = true; draw(); });
	const chart = $('map');
	let held = null;
	const move = event => {
		const time = event.offsetX / chart.clientWidth * span, size = view.to - view.from, part = (time - view.from) / size;
		if (event.type === 'pointerdown') { held = part >= 0 && part <= 1 ? part : .5; chart.setPointerCapture(event.pointerId); }
		if (held !== null) show(time - size * held, time + size * (1 - held));
	};
	on(chart, 'pointerdown', move);
	on(chart, 'pointermove', move);
	on(chart, 'pointerup', () => { held = null; });
}
function showTip(x, y) {
	const tip = $('tip'), before = hover;
	hover = under(x, y);
	const gap = x < gutter ? undefined : index.gaps.find(each => xOf(each[0]) - 3 <= x && xOf(each[1]) + 4 >= x);
	canvas.style.cursor = !hover ? '' : 'pointer';
	if (before !== hover && !isSame(before, hover)) draw();
	tip.hidden = !hover && !gap;
	if (tip.hidden) return;
	tip.replaceChildren(make('b', {textContent: nameOf(!hover ? gap[2] : hover.name).slice(0, 400)}), make('br'),
		soft((!hover ? [duration(gap[1] - gap[0]), moment(gap[0])] : [lengthOf(hover), moment(hover.begin), ...flagTexts(hover.flags)]).join(', ')));
	tip.style.left = max(4, min(x + 14, width - tip.offsetWidth - 6)) + 'px';
	tip.style.top = (y + tip.offsetHeight > height - 18 ? max(4, y - tip.offsetHeight - 10) : y + 18) + 'px';
}

// ---- Begin

function begin() {
	const lost = index.counts.find(([text]) => text.startsWith('events lost'));
	document.title = $('title').textContent = index.title || 'Time line';
	$('facts').textContent = typeof DecompressionStream === 'undefined' ? 'Chrome 103, Firefox 113 or Safari 16.4 can show this.'
		: rows.length === 0 ? 'Nothing to draw: no table has a rule for the events of this trace.'
			: [number(sliceCount) + (sliceCount === 1 ? ' slice' : ' slices'), duration(index.span), wallClock(0).slice(0, 19),
				lost ? number(lost[1]) + ' events lost' : ''].filter(text => text !== '').join(' · ');
	$('close').onclick = () => $('keys').close();
	Object.assign(data, {slices: sliceCount, rows: rows.length, span: index.span});
	makeColours();
	layOut();
	resize();
	listen();
	restore().finally(() => { data.ready = round(performance.now()); draw(); });
}
begin();
