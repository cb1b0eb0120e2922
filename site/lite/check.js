// Fetch what Python needs while JupyterLab starts, and say in one sentence what is missing.
// The kernel then finds the files in the browser's cache. Saved walks play without any of this.
(async () => {
    const script = document.currentScript;
    const root = new URL("..", script.src);
    const say = (sentence) => {
        if (document.getElementById("graphlab-missing")) return;
        const place = document.createElement("p");
        place.id = "graphlab-missing";
        place.setAttribute("role", "alert");
        place.style.cssText =
            "position:fixed;z-index:99999;inset:auto 0 0 0;margin:0;padding:12px 48px 12px 16px;" +
            "font:16px/1.4 system-ui,sans-serif;color:#1a1a1a;background:#ffe9b8;border-top:2px solid #b07400";
        place.textContent = `${sentence} The saved walks in the lessons play all the same.`;
        const close = document.createElement("button");
        close.textContent = "×";
        close.setAttribute("aria-label", "Close this message");
        close.style.cssText =
            "position:absolute;right:10px;top:8px;font-size:20px;border:0;background:none;color:inherit;cursor:pointer";
        close.onclick = () => place.remove();
        place.append(close);
        document.body.append(place);
    };
    // The site's own page of the lesson, where JupyterLab itself cannot start.
    const showLesson = () => {
        const name = new URLSearchParams(location.search).get("path") || "";
        const lesson = /^[\w-]+\.ipynb$/.test(name) ? name.slice(0, -6) : "index";
        const frame = document.createElement("iframe");
        frame.title = "The lesson, with its saved walks";
        frame.src = new URL(`../notebooks/${lesson}.html`, root);
        frame.style.cssText = "position:fixed;z-index:9999;inset:0;width:100%;height:100%;border:0;background:#fff";
        document.body.append(frame);
    };
    if (document.readyState === "loading") {
        await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
    }
    if (location.protocol === "file:") {
        showLesson();
        return say("Python cannot run in a page that was opened from a file: serve the folder, for example with `python3 -m http.server`, and open http://localhost:8000.");
    }
    try {
        new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
        if (typeof WebAssembly.Tag !== "function") throw new Error("too old");
    } catch {
        return say("Python cannot run here: this browser has no WebAssembly, or an old one; use a browser of 2022 or later.");
    }
    const list = new URL("static/files.json", root);
    let files;
    try {
        files = await (await fetch(list, { cache: "no-cache" })).json();
    } catch {
        return say("Python cannot start: the list of its files cannot be fetched; connect to the network.");
    }
    const wrong = async ({ url, sha256 }) => {
        const place = new URL(url, new URL(files.folder, list));
        const elsewhere = place.host === location.host ? "" : ` from ${place.host}`;
        let content;
        try {
            const answer = await fetch(place, { cache: "force-cache" });
            if (!answer.ok) return `${url} is missing on the server${elsewhere}`;
            content = await answer.arrayBuffer();
        } catch {
            return elsewhere
                ? `the files of Pyodide cannot be fetched${elsewhere}: connect to the network`
                : `${url} cannot be fetched: connect to the network`;
        }
        if (!globalThis.crypto?.subtle) return ""; // on http:// other than localhost
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
        const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
        return found === sha256 ? "" : `${url} is damaged (its hash is wrong): build the site again`;
    };
    // A few at a time, largest first: what the kernel needs must not wait in a long queue.
    const firstWrong = async (files) => {
        const waiting = [...files];
        const found = [];
        const work = async () => {
            for (let file = waiting.shift(); file; file = waiting.shift()) found.push(await wrong(file));
        };
        await Promise.all([work(), work(), work()]);
        return found.find(Boolean);
    };
    // An older page, its settings or a service worker may be in the browser's cache.
    const isOld = async (lock) => {
        const settings = new URL("jupyter-lite.json", root);
        if ((await (await fetch(settings)).text()).includes(lock)) return false;
        const workers = (await navigator.serviceWorker?.getRegistrations?.()) || [];
        const here = workers.filter((worker) => worker.scope.startsWith(root.href));
        await Promise.all(here.map((worker) => worker.unregister()));
        for (const name of (await globalThis.caches?.keys()) || []) {
            const cache = await caches.open(name);
            for (const request of await cache.keys()) {
                if (request.url.startsWith(root.href)) await cache.delete(request);
            }
        }
        await fetch(settings, { cache: "reload" }); // last: a worker would have answered
        return true;
    };
    if (await isOld(files.lock)) {
        return say("Python cannot start: this site was renewed since your last visit; reload the page.");
    }
    let missing = await firstWrong(files.start);
    if (missing) return say(`Python cannot start: ${missing}.`);
    missing = await firstWrong(files.later);
    if (missing) say(`Gradients cannot be proved: ${missing}.`);
})().finally(() => {
    document.documentElement.dataset.graphlabChecked = "true";
});
