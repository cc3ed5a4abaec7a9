import { deviceFilters, type FileImport, gatewayFilters } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { paths } from '../../paths.ts';
import { valuesOf } from '../../search-parameters.ts';
import { useMay } from '../../session/session.tsx';
import { isKnownFilter } from '../filters/list-filters.ts';
import { LinkButton } from '../link/link.tsx';
import { useIDs } from '../link/use-ids.ts';

const ExportDialog = lazy(() =>
  import('./export-dialog.tsx').then(({ ExportDialog: dialog }) => ({ default: dialog })),
);

interface Props {
  kind: FileImport['kind'];
  /** The list has the devices of one application. */
  applicationID?: string;
}

/** Import into a list, and export of what its search and filters find. */
export function FileButtons({ kind, applicationID = '' }: Props) {
  const { organizationID } = useIDs();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { search = '', filter }: { search?: string; filter?: string } = useSearch({ strict: false });
  const fields = kind === 'DEVICES' ? deviceFilters : gatewayFilters;
  const filters = valuesOf(filter).filter((one) => isKnownFilter(fields, one));
  const mayImport = may(kind === 'DEVICES' ? 'firstSteps.addDevice' : 'gateway.create');
  // Files have the columns of the whole organization.
  const mayExport = may('attention.list');
  return (
    <>
      {mayImport && (
        <LinkButton
          variant="default"
          to={paths.fileImport(organizationID)}
          search={{ kind, application: applicationID || undefined } as never}
          leftSection={<IconUpload size={16} aria-hidden />}
        >
          Import
        </LinkButton>
      )}
      {mayExport && (
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={() => setOpen(true)}>
          Export
        </Button>
      )}
      {isOpen && (
        <Suspense>
          <ExportDialog
            kind={kind}
            organizationID={organizationID}
            selection={{ applicationID: applicationID || '0', search, filter: filters }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
