import { type ComponentProps, lazy, Suspense } from 'react';
import { ErrorBoundary } from '../components/error-boundary/error-boundary.tsx';

const BrandingHTML = lazy(() => import('./branding-html.tsx').then((m) => ({ default: m.BrandingHTML })));

/** What an operator wrote into the settings. What cleans it is fetched only where something is written. */
export function Branding(props: ComponentProps<typeof BrandingHTML>) {
  return (
    <ErrorBoundary>
      <Suspense>
        <BrandingHTML {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
