import { Component, type ReactNode } from 'react';
import { reloadConsole, ScreenFailure } from '../lazy-screen/screen-failure.ts';
import { ErrorState } from '../states/states.tsx';
import { toast } from '../toast/toast.ts';

interface Props {
  /** A change of this key renders the children again: the address, for a page. */
  resetKey?: string;
  children: ReactNode;
}

interface State {
  error: unknown;
  /** The reset key at the time of the error. */
  resetKey: string | undefined;
}

/** Catches errors that a page throws while rendering, so that the rest of the console stays usable. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): State | null {
    return resetKey === state.resetKey ? null : { error: null, resetKey };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  private readonly retry = async () => {
    if (!(this.state.error instanceof ScreenFailure)) this.setState({ error: null });
    else if (!(await reloadConsole())) toast.error('The server does not respond yet.');
  };

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} retry={this.retry} />;
  }
}
