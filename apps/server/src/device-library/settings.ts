import { z } from 'zod';

export const deviceLibrarySettings = {
  deviceLibraryURL: z
    .string()
    .refine(
      (text) => text === '' || text.startsWith('/') || (URL.canParse(text) && /^https?:/.test(text)),
      'must be a URL of https://, an absolute path of a folder, or empty',
    )
    .refine((text) => {
      const url = URL.parse(text);
      return !url || (url.username === '' && url.password === '');
    }, 'must not contain a user name or password: download the file and name its folder instead')
    .default('https://codeload.github.com/chirpstack/chirpstack-device-profiles/zip/HEAD')
    .meta({
      help: 'where a global administrator installs the device library from with one click: the address of a ZIP file in the layout of chirpstack-device-profiles, or the absolute path of a folder; empty: never fetched',
    }),
};
