import { useQuery } from '@tanstack/react-query';
import type { MapTiles } from './map-style.ts';

/** The tiles the server is set to use, null for the built-in world, undefined until that is known. */
export function useTiles(): MapTiles | null | undefined {
  return useQuery({ queryKey: ['map'], queryFn: fetchTiles, staleTime: Infinity }).data;
}

/** A server that knows nothing of maps answers the page of the console here, or an error: both mean no tiles. */
async function fetchTiles({ signal }: { signal: AbortSignal }): Promise<MapTiles | null> {
  const answer = await fetch('/map.json', { signal });
  if (!answer.ok || !answer.headers.get('content-type')?.includes('json')) return null;
  const { tiles } = (await answer.json()) as { tiles: MapTiles | null };
  return tiles;
}
