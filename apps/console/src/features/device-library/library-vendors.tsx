import type { Library } from '@hilltop/contract';
import { Anchor, Button, Modal, Paper, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { LegalText } from '../../components/library/legal-text.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';

type Vendor = Library['vendors'][number];

/** The vendors of the library, each with its licence. */
export function LibraryVendors({ library }: { library: Library }) {
  const [shown, setShown] = useState<Vendor | null>(null);
  const columns: Column<Vendor>[] = [
    {
      header: 'Vendor',
      primary: true,
      cell: ({ name, homepage }) =>
        homepage === '' ? (
          name
        ) : (
          <Anchor href={homepage} target="_blank" rel="noreferrer">
            {name}
          </Anchor>
        ),
    },
    { header: 'Vendor ID', align: 'right', card: 'folded', cell: ({ vendorID }) => vendorID || '–' },
    { header: 'Models', align: 'right', cell: ({ modelCount }) => modelCount },
    {
      header: 'Vectors that pass',
      short: 'Vectors',
      align: 'right',
      cell: ({ passCount, vectorCount }) => (vectorCount === 0 ? '–' : `${passCount} of ${vectorCount}`),
    },
    {
      header: 'Licence',
      fit: true,
      card: 'aside',
      cell: (vendor) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Licence of ${vendor.name}`}
          onClick={() => setShown(vendor)}
        >
          Show
        </Button>
      ),
    },
  ];
  return (
    <Paper component="section" aria-labelledby="library-vendors" p={0}>
      <Title order={2} size="h3" id="library-vendors" p="md">
        Vendors
      </Title>
      <DataTable label="Vendors" columns={columns} rows={library.vendors} rowKey={({ id }) => id} />
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={`Licence of ${shown?.name ?? ''}`} size="lg">
        <Stack gap="sm">
          {shown && shown.copyright !== '' && <LegalText label="Copyright in the codecs" text={shown.copyright} />}
          {shown && <LegalText label="Licence" text={shown.license || library.license || noLicense} />}
        </Stack>
      </Modal>
    </Paper>
  );
}

const noLicense = 'The library has no licence file.';
