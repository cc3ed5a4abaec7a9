import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { MapTiles } from './tiles-style.ts';

interface TilesSettings {
  /** Null for the built-in world. */
  readonly tiles: MapTiles | null;
  /** Tiles are configured, but cannot be loaded. */
  readonly isUnreachable: boolean;
}

/** The configured tiles. What one map learns about them applies to all maps until the next attempt. */
export function useTiles() {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey, queryFn: fetchTiles, staleTime: Infinity, gcTime: Infinity });
  return {
    /** Undefined until that is known. */
    tiles: data && (data.isUnreachable ? null : data.tiles),
    isUnreachable: data?.isUnreachable === true,
    giveUp: () => client.setQueryData<TilesSettings>(queryKey, (known) => known && { ...known, isUnreachable: true }),
    tryAgain: () =>
      client.setQueryData<TilesSettings>(queryKey, (known) => known && { ...known, isUnreachable: false }),
  };
}

const queryKey = ['map'];

/** A server without this endpoint answers with the page of the console, an error or nothing: all mean no tiles. */
async function fetchTiles(): Promise<TilesSettings> {
  try {
    const answer = await fetch('/map.json');
    const { tiles } = (await answer.json()) as { tiles?: MapTiles | null };
    return { tiles: tiles ?? null, isUnreachable: false };
  } catch {
    return { tiles: null, isUnreachable: false };
  }
}
