import { type ComponentProps, lazy, Suspense } from 'react';
import { ErrorBoundary } from '../components/error-boundary/error-boundary.tsx';

const BrandingHTML = lazy(() => import('./branding-html.tsx').then((m) => ({ default: m.BrandingHTML })));

/** HTML from the settings. The sanitiser is loaded only when there is any. */
export function Branding(props: ComponentProps<typeof BrandingHTML>) {
  return (
    <ErrorBoundary>
      <Suspense>
        <BrandingHTML {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
