import type { Library } from '@hilltop/contract';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { InstalledLibrary } from './installed-library.tsx';
import { LibraryProblems } from './library-problems.tsx';
import { LibraryVendors } from './library-vendors.tsx';
import { PublishedModels } from './published-models.tsx';

/** The device library of this installation: what is installed, and what it publishes itself. */
export function DeviceLibrary() {
  const found = useQuery(query('library', 'get', {}));
  return (
    <>
      <PageHeader title="Device library" />
      <Loaded query={found}>{(library) => <Sections library={library} />}</Loaded>
    </>
  );
}

function Sections({ library }: { library: Library }) {
  return (
    <Stack>
      <InstalledLibrary library={library} />
      <PublishedModels />
      {library.vendors.length > 0 && <LibraryVendors library={library} />}
      {library.problemCount > 0 && <LibraryProblems library={library} />}
    </Stack>
  );
}
