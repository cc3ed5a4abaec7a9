import { type deviceFilters, type FilterFields, formatFilter, type gatewayFilters } from '@hilltop/contract/filters';

/** The parameters of the address of a list that shows only rows with one value of a field. */
const searchFor =
  <Fields extends FilterFields>() =>
  (field: keyof Fields & string, value: string) => ({
    filter: formatFilter({ field, operator: 'is', values: [value] }),
  });

export const devicesWith = searchFor<typeof deviceFilters>();
export const gatewaysWith = searchFor<typeof gatewayFilters>();
