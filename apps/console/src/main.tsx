import './theme/styles.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// Addresses of the old console, `/#/organizations/1`, lead to the page of the same name.
if (location.hash.startsWith('#/')) history.replaceState(null, '', location.hash.slice(1));

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
