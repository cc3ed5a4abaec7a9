/** The query parameters of the single sign-on provider: a code to exchange, or an error. */
export interface Callback {
  code?: string;
  state?: string;
  error?: string;
}

export const isCallback = ({ code, state, error }: Callback): boolean => Boolean((code && state) || error);
