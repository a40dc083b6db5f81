/* dom.js: building the page out of elements. Text goes in as text: nothing in these scripts parses
 * markup, so a name like "<script>" is shown as it is. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";

/* A new element; CHILDREN are elements, strings (text) or null (left out). */
function el(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
}
function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}
function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (name === "style") Object.assign(node.style, value);
        else node.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
        if (child !== null && child !== undefined) node.append(child);
    }
    return node;
}
function clear(node) {
    node.replaceChildren();
    return node;
}
function words(count, one, many) {
    return `${count} ${count === 1 ? one : many || one + "s"}`;
}
/* A colour a thread: eight, then they repeat; "main" is always the grey one. */
function threadClass(names, index) {
    if (names[index] === "main") return "thread-0";
    const others = names.slice(0, index).filter((name) => name !== "main").length;
    return `thread-${1 + (others % 7)}`;
}
/* At most once a frame, with the last arguments. */
function onceAFrame(action) {
    let waiting = false;
    return () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
            waiting = false;
            action();
        });
    };
}
/* Brings NODE into sight inside the scrolling element BOX without moving the rest of the page. */
function revealInside(box, node) {
    const outer = box.getBoundingClientRect(),
        inner = node.getBoundingClientRect();
    if (inner.top < outer.top + 30 || inner.bottom > outer.bottom - 30) {
        box.scrollTop += inner.top - outer.top - box.clientHeight / 3;
    }
}
