import type { FileImport } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { StepBar } from '../../components/steps/step-bar.tsx';
import { paths } from '../../paths.ts';
import { CheckStep } from './check-step.tsx';
import { ColumnsStep } from './columns-step.tsx';
import { FileStep } from './file-step.tsx';
import { ResultStep } from './result-step.tsx';
import { importOf, useImportAddress } from './use-import.ts';

const steps = ['File', 'Columns', 'Check', 'Result'];

/** Devices or gateways from a file. The address has the import, so that it is found again. */
export function ImportPage() {
  const { organizationID } = useIDs();
  const { import: id = '', kind } = useImportAddress();
  const crumb =
    kind === 'GATEWAYS'
      ? { label: 'Gateways', to: paths.gateway.list(organizationID) }
      : { label: 'Devices', to: paths.organizationDevices(organizationID) };
  return (
    <>
      <PageHeader crumbs={[crumb]} title="Import" />
      {id === '' ? (
        <Page current={0}>
          <FileStep />
        </Page>
      ) : (
        <KnownImport key={id} id={id} />
      )}
    </>
  );
}

function Page({ current, children }: { current: number; children: React.ReactNode }) {
  return (
    <>
      <StepBar label="Steps" steps={steps} current={current} />
      {children}
    </>
  );
}

function KnownImport({ id }: { id: string }) {
  return <Loaded query={useQuery(importOf(id))}>{(found) => <StepOf found={found} />}</Loaded>;
}

/** The step that comes next. The user can go back to the columns until the import runs. */
function StepOf({ found }: { found: FileImport }) {
  const [isBack, setBack] = useState(false);
  if (found.jobID !== '')
    return (
      <Page current={3}>
        <ResultStep found={found} />
      </Page>
    );
  if (found.check && !isBack)
    return (
      <Page current={2}>
        <CheckStep found={found} check={found.check} onBack={() => setBack(true)} />
      </Page>
    );
  return (
    <Page current={1}>
      <ColumnsStep found={found} onChecked={() => setBack(false)} />
    </Page>
  );
}
