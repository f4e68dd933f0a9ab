// SPDX-License-Identifier: MIT
// A browser starts no Worker from a file: page, so the search of mkdocs-material would not work there. This gives such
// pages a Worker that runs its script in a hidden frame. The search script sees by window.IFrameWorker that it has a
// document and looks for its own address there. Pages of a server keep the Worker of the browser.
(function () {
  'use strict';
  if (location.protocol !== 'file:') return;

  function load(frame, url) {
    return new Promise(function (resolve, reject) {
      var script = frame.document.createElement('script');
      script.src = url;
      script.onload = resolve;
      script.onerror = function () { reject(new Error('cannot load ' + url)); };
      frame.document.body.appendChild(script);
    });
  }

  function IFrameWorker(url) {
    var worker = this, iframe = document.createElement('iframe');
    worker.listeners = [];
    worker.onmessage = null;
    iframe.hidden = true;
    document.body.appendChild(iframe);
    worker.frame = iframe.contentWindow;
    worker.frame.document.open();
    worker.frame.document.write('<!doctype html><html><body></body></html>');
    worker.frame.document.close();
    worker.frame.postMessage = function (data) { worker.tell(new MessageEvent('message', { data: data })); };
    worker.frame.importScripts = function () {
      return Array.from(arguments).reduce(function (before, one) {
        return before.then(function () { return load(worker.frame, one); });
      }, Promise.resolve());
    };
    worker.ready = load(worker.frame, String(url));
    worker.ready.catch(function (error) { console.error(error); });
  }

  IFrameWorker.prototype = {
    tell: function (event) {
      if (this.onmessage) this.onmessage(event);
      this.listeners.forEach(function (listener) { listener(event); });
    },
    addEventListener: function (type, listener) { if (type === 'message') this.listeners.push(listener); },
    removeEventListener: function (type, listener) {
      this.listeners = this.listeners.filter(function (one) { return one !== listener; });
    },
    postMessage: function (data) {
      var frame = this.frame;
      this.ready.then(function () { frame.dispatchEvent(new frame.MessageEvent('message', { data: data })); });
    },
    terminate: function () { this.frame.frameElement.remove(); }
  };

  window.IFrameWorker = window.Worker = IFrameWorker;
})();
