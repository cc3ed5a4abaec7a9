/** Styles that are made while the page runs are let in by the nonce of the page. Undefined where there is none. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.nonce || undefined;

// Where the scroll lock of dialogs looks for it (package get-nonce).
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
