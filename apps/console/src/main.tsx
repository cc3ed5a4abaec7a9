import './theme/styles.ts';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { paths } from './paths.ts';
import { addSignedInRoutes } from './router.tsx';
import { readToken } from './session/storage.ts';

// Redirect addresses of the version 3 console, `/#/organizations/1`, to the page with the same path.
if (location.hash.startsWith('#/')) history.replaceState(null, '', location.hash.slice(1));

const root = createRoot(document.getElementById('root')!);
// In a transition React renders in slices of 5 ms, so that a slow phone can scroll, type and paint in between.
const render = () =>
  startTransition(() =>
    root.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );

// A user who is signed in needs these routes at once. If loading them fails, the router tries again and shows the error.
const needsRoutes = readToken() !== null && location.pathname !== paths.login();
if (needsRoutes) addSignedInRoutes().then(render, render);
else render();
