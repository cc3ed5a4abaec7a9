/** The CSP nonce of the page for styles that are created at run time. Undefined without a policy. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.nonce || undefined;

// Where the scroll lock of dialogs (package get-nonce) reads it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
