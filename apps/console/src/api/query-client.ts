import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/** A response of the server is final; only an unreachable server is asked again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError),
      staleTime: 5_000,
      refetchOnWindowFocus: false,
    },
  },
});
