import { useNavigate, useSearch } from '@tanstack/react-router';

/** A time range that is stored in the URL of the page, such as `?range=24h`; the usual one is left out. */
export function useAddressRange<Range extends string>(offered: readonly Range[], usual: Range) {
  const { range: asked = '', ...address }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = offered.find((one) => one === asked) ?? usual;
  function choose(next: Range) {
    const search = { ...address, range: next === usual ? undefined : next };
    void navigate({ to: '.', replace: true, resetScroll: false, search });
  }
  return { range, choose };
}
