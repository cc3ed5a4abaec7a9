import { deviceFilters } from '@hilltop/contract/filters';
import { expect, it } from 'vitest';
import { searchParameters, valuesOf } from '../../search-parameters.ts';
import { filterWords } from './filter-words.ts';
import { readFilter } from './list-filters.ts';

const words = (text: string) => {
  const read = readFilter(deviceFilters, text);
  return 'problem' in read ? undefined : filterWords(read.field, read.filter, (id) => `name of ${id}`);
};

it.each([
  ['state:is:inactive|joinRefused', 'Status is Inactive or Join refused'],
  ['application:not:7', 'Application is not name of 7'],
  ['tag.site:has:a:b|roof', 'Tag site contains a:b or roof'],
  ['tag.x\\.y:unset', 'Tag x.y is not set'],
  ['battery:lt:20', 'Battery below 20 %'],
  ['lastSeenAt:before:7d', 'Last seen more than 7 days ago'],
  ['lastSeenAt:after:90m', 'Last seen in the last 90 minutes'],
  ['errors:set', 'Codec errors'],
  ['joined:unset', 'No session'],
  ['battery:has:2', undefined],
  ['lastSeenAt:before:yesterday', undefined],
])('says %s in words', (text, expected) => {
  expect(words(text)).toBe(expected);
});

it('reads a repeated parameter of an address, and writes it with readable colons', () => {
  const address = '?filter=state:is:inactive&filter=tag.site:is:a%26b%7Cc&search=0102';
  const search = searchParameters.parseSearch(address);
  expect(valuesOf(search['filter'])).toEqual(['state:is:inactive', 'tag.site:is:a&b|c']);
  expect(search['search']).toBe('0102');
  expect(searchParameters.stringifySearch(search)).toBe(address);
});
