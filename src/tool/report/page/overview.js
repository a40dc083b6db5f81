/* overview.js: a whole history as a small picture: thin bars, what goes wrong in red, and a window over
 * the part that is in sight, which can be dragged. */
"use strict";

class Overview {
    /* VIEW has moments, lanes, bars, core, history; scroll and planeWidth tell what is in sight. */
    constructor(view) {
        this.view = view;
        this.node = el("canvas", {
            class: "overview",
            role: "img",
            "aria-label": "all operations; click to go there",
            onpointerdown: (event) => this.drag(event),
            onpointermove: (event) => this.drag(event),
        });
        addEventListener("heddle-theme", () => this.draw());
    }

    drag(event) {
        if (event.type === "pointerdown") this.node.setPointerCapture(event.pointerId);
        else if (!event.buttons) return;
        const { scroll, planeWidth } = this.view,
            box = this.node.getBoundingClientRect();
        scroll.scrollLeft = ((event.clientX - box.left) / box.width) * planeWidth - scroll.clientWidth / 2;
    }

    /* The bars. The picture is kept, so that the window over it can move cheaply. */
    draw() {
        const { moments, lanes, bars, core, history } = this.view;
        if (!bars || !this.node.isConnected) return;
        const ratio = devicePixelRatio || 1;
        const width = Math.round(Math.max(this.node.clientWidth, 10) * ratio),
            height = Math.round(64 * ratio);
        this.picture = el("canvas", { width, height });
        const pen = this.picture.getContext("2d"),
            style = getComputedStyle(document.documentElement);
        const colour = (name) => style.getPropertyValue(name).trim();
        const x = (moment) => (moment / Math.max(moments.length, 1)) * width,
            lane = (height - 8) / Math.max(lanes.length, 1);
        const paint = (bar, fill, extra) => {
            const end = bar.pending ? Math.min(bar.from + moments.length / 40, moments.length) : bar.to;
            pen.fillStyle = fill;
            pen.fillRect(
                x(bar.from),
                4 + bar.lane * lane,
                Math.max(x(end) - x(bar.from), ratio) + extra,
                Math.max(lane * 0.7, 1) + extra,
            );
        };
        for (const bar of bars) {
            if (core.has(bar.op)) continue;
            paint(bar, colour(`--t${1 + (history.operations[bar.op].process % 7)}`) + "80", 0);
        }
        for (const bar of bars) if (core.has(bar.op)) paint(bar, colour("--bad"), 2 * ratio);
        this.node.width = width;
        this.node.height = height;
        this.showWindow();
    }

    showWindow() {
        if (!this.picture) return;
        const { scroll, planeWidth } = this.view,
            { width, height } = this.node,
            pen = this.node.getContext("2d");
        const from = (scroll.scrollLeft / planeWidth) * width,
            to = ((scroll.scrollLeft + scroll.clientWidth) / planeWidth) * width;
        pen.clearRect(0, 0, width, height);
        pen.drawImage(this.picture, 0, 0);
        pen.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--focus").trim();
        pen.lineWidth = 2;
        pen.strokeRect(from + 1, 1, Math.max(to - from - 2, 4), height - 2);
    }
}
