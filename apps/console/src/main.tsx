import './theme/styles.ts';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// Redirect addresses of the version 3 console, `/#/organizations/1`, to the page with the same path.
if (location.hash.startsWith('#/')) history.replaceState(null, '', location.hash.slice(1));

const root = createRoot(document.getElementById('root')!);
// In a transition React renders in slices of 5 ms, so that a slow phone can scroll, type and paint in between.
startTransition(() =>
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
