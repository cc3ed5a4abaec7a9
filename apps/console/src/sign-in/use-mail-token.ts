import { useLocation } from '@tanstack/react-router';

/** The token of a link in a mail. It is in the fragment, which browsers do not send to servers. */
export const useMailToken = (): string =>
  new URLSearchParams(useLocation({ select: ({ hash }) => hash })).get('token') ?? '';
