import { useQuery } from '@tanstack/react-query';
import type { MapTiles } from './map-style.ts';

/** The tiles the server is set to use, null for the built-in world, undefined until that is known. */
export function useTiles(): MapTiles | null | undefined {
  return useQuery({ queryKey: ['map'], queryFn: fetchTiles, staleTime: Infinity }).data;
}

/** A server that knows nothing of maps answers the page of the console, an error or nothing: all mean no tiles. */
async function fetchTiles(): Promise<MapTiles | null> {
  try {
    const answer = await fetch('/map.json');
    const { tiles } = (await answer.json()) as { tiles?: MapTiles | null };
    return tiles ?? null;
  } catch {
    return null;
  }
}
