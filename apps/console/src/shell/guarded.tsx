import { useMatches } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NoPermission } from '../components/states/states.tsx';
import { useMay } from '../session/session.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The operation (`gateway.update`) one must be allowed to call to see the screen. */
    access?: string;
  }
}

/** The page, or the permission page when a screen on the way to it is not for this person. */
export function Guarded({ children }: { children: ReactNode }) {
  const may = useMay();
  const asked = useMatches({ select: (matches) => matches.map(({ staticData }) => staticData.access) });
  return asked.every((operation) => operation === undefined || may(operation)) ? children : <NoPermission />;
}
