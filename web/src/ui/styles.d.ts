// SPDX-License-Identifier: MIT
// A style sheet that the page of the interface has a copy of, so that each page loads one file of styles.
declare module '*.css?docs';
