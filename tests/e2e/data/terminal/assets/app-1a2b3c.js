document.title += " runs";
