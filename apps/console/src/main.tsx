import './theme/styles.ts';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// Addresses of the old console, `/#/organizations/1`, lead to the page of the same name.
if (location.hash.startsWith('#/')) history.replaceState(null, '', location.hash.slice(1));

const root = createRoot(document.getElementById('root')!);
// As a transition React draws in pieces of 5 ms: a slow phone scrolls, types and shows in between.
startTransition(() =>
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
