// The part of JupyterLab's interface that is used here. JupyterLab brings the modules when it runs.
//
// Its own packages have these types too, but they depend on hundreds of other packages, so they are not
// installed (`npm run check:jupyterlab` compares these declarations with them).

declare module "@jupyterlab/ui-components" {
  export class LabIcon {
    constructor(options: { name: string; svgstr: string });
    render(container: HTMLElement): void;
  }
}

declare module "@jupyterlab/settingregistry" {
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";

  export namespace ISettingRegistry {
    interface ISettings {
      readonly changed: ISignal<ISettings, void>;
      readonly composite: { readonly [name: string]: unknown };
    }
  }
  export interface ISettingRegistry {
    load(plugin: string): Promise<ISettingRegistry.ISettings>;
  }
  export const ISettingRegistry: Token<ISettingRegistry>;
}

declare module "@jupyterlab/services" {
  export namespace KernelMessage {
    interface IMessage {
      header: { msg_id: string; msg_type: string };
      parent_header: { msg_id?: string; msg_type?: string };
      content: object;
    }
    interface IExecuteReplyMsg extends IMessage {
      content:
        | { status: "ok"; user_expressions: { [name: string]: unknown } }
        | { status: "error" | "aborted" | "abort" };
    }
  }
  export namespace Kernel {
    interface IFuture {
      readonly msg: KernelMessage.IMessage;
      readonly done: Promise<KernelMessage.IExecuteReplyMsg>;
    }
    interface IKernelConnection {
      readonly id: string;
      readonly status: string;
      readonly info: Promise<{ language_info: { name: string } }>;
      requestExecute(content: {
        code: string;
        silent?: boolean;
        store_history?: boolean;
        allow_stdin?: boolean;
        stop_on_error?: boolean;
        user_expressions?: { [name: string]: string };
      }): IFuture;
    }
  }
  export namespace Contents {
    interface IManager {
      get(path: string, options?: { content?: boolean }): Promise<unknown>;
      save(path: string, model: { type: "file"; format: "text"; content: string }): Promise<unknown>;
    }
  }
  export namespace Session {
    interface ISessionConnection {
      readonly kernel: Kernel.IKernelConnection | null;
    }
  }
}

declare module "@jupyterlab/apputils" {
  import type { Kernel, KernelMessage, Session } from "@jupyterlab/services";
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";
  import type { Widget } from "@lumino/widgets";

  export interface ISessionContext {
    readonly session: Session.ISessionConnection | null;
    readonly isReady: boolean;
    readonly ready: Promise<void>;
    readonly hasNoKernel: boolean;
    readonly path: string;
    readonly kernelDisplayName: string;
    readonly kernelDisplayStatus: string;
    readonly kernelChanged: ISignal<ISessionContext, unknown>;
    readonly statusChanged: ISignal<ISessionContext, string>;
    readonly connectionStatusChanged: ISignal<ISessionContext, string>;
    readonly iopubMessage: ISignal<ISessionContext, KernelMessage.IMessage>;
    readonly disposed: ISignal<ISessionContext, void>;
  }
  export interface ICommandPalette {
    addItem(options: { command: string; category: string }): unknown;
  }
  export const ICommandPalette: Token<ICommandPalette>;
  export class MainAreaWidget extends Widget {
    constructor(options: { content: Widget });
  }
  export namespace Dialog {
    interface IResult<T> {
      button: { accept: boolean };
      value: T | null;
    }
    interface IButton {
      readonly label: string;
    }
    function cancelButton(options?: { label?: string }): Readonly<IButton>;
    function okButton(options?: { label?: string }): Readonly<IButton>;
    function warnButton(options?: { label?: string }): Readonly<IButton>;
  }
  export namespace Notification {
    function warning(message: string, options?: { autoClose?: false }): string;
  }
  export function showDialog(options: {
    title: string;
    body: string;
    buttons: readonly Readonly<Dialog.IButton>[];
  }): Promise<Dialog.IResult<unknown>>;
  export function showErrorMessage(title: string, error: string): Promise<void>;
  export namespace InputDialog {
    function getText(options: {
      title: string;
      label?: string;
      text?: string;
      okLabel?: string;
    }): Promise<Dialog.IResult<string>>;
  }
  export type { Kernel };
}

declare module "@jupyterlab/rendermime" {
  import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";

  export interface IRenderMimeRegistry {
    addFactory(factory: IRenderMime.IRendererFactory, rank?: number): void;
    getFactory(mimeType: string): IRenderMime.IRendererFactory | undefined;
    createRenderer(mimeType: string): IRenderMime.IRenderer;
  }
}

declare module "@jupyterlab/notebook" {
  import type { ISessionContext } from "@jupyterlab/apputils";
  import type { IRenderMimeRegistry } from "@jupyterlab/rendermime";
  import type { Token } from "@lumino/coreutils";
  import type { ISignal } from "@lumino/signaling";
  import type { Widget } from "@lumino/widgets";

  interface IAwareness {
    readonly clientID: number;
    getStates(): ReadonlyMap<number, { readonly [field: string]: unknown }>;
    setLocalStateField(field: string, value: unknown): void;
    on(event: "change", listener: () => void): void;
    off(event: "change", listener: () => void): void;
  }
  export class Notebook extends Widget {
    readonly activeCell: {
      readonly model: { readonly sharedModel: { setSource(text: string): void } };
    } | null;
    mode: "command" | "edit";
    readonly rendermime: IRenderMimeRegistry;
    readonly widgets: readonly { readonly node: HTMLElement; readonly model: { readonly id: string } }[];
    scrollToItem(index: number): Promise<void>;
  }
  export class NotebookPanel extends Widget {
    readonly content: Notebook;
    readonly sessionContext: ISessionContext;
    readonly context: {
      readonly path: string;
      readonly ready: Promise<void>;
      readonly model: {
        readonly collaborative?: boolean;
        readonly sharedModel: { readonly awareness?: IAwareness };
      };
    };
  }
  export interface INotebookTracker {
    readonly currentWidget: NotebookPanel | null;
    readonly currentChanged: ISignal<INotebookTracker, NotebookPanel | null>;
  }
  export const INotebookTracker: Token<INotebookTracker>;
  export namespace NotebookActions {
    function insertBelow(notebook: Notebook): void;
  }
}

declare module "@jupyterlab/application" {
  import type { NotebookPanel } from "@jupyterlab/notebook";
  import type { Contents } from "@jupyterlab/services";
  import type { LabIcon } from "@jupyterlab/ui-components";
  import type { Token } from "@lumino/coreutils";
  import type { Widget } from "@lumino/widgets";

  export interface ICommandOptions {
    label: string;
    caption?: string;
    icon?: LabIcon;
    isEnabled?: () => boolean;
    describedBy?: { args: object };
    execute: (args: { readonly [name: string]: unknown }) => unknown;
  }
  export interface JupyterFrontEnd {
    readonly commands: {
      addCommand(id: string, options: ICommandOptions): unknown;
      execute(id: string, args?: { [name: string]: string }): Promise<unknown>;
      notifyCommandChanged(id?: string): void;
    };
    readonly shell: {
      add(widget: Widget, area?: string, options?: { rank?: number; mode?: "split-right" }): void;
      activateById(id: string): void;
    };
    readonly serviceManager: { readonly contents: Contents.IManager };
    readonly docRegistry: {
      addWidgetExtension(name: "Notebook", extension: { createNew(panel: NotebookPanel): void }): unknown;
    };
    readonly restored: Promise<void>;
  }
  export interface JupyterFrontEndPlugin<T> {
    id: string;
    description?: string;
    autoStart?: boolean;
    requires?: Token<unknown>[];
    optional?: Token<unknown>[];
    activate: (app: JupyterFrontEnd, ...args: never[]) => T;
  }
  export interface ILayoutRestorer {
    add(widget: Widget, name: string): void;
  }
  export const ILayoutRestorer: Token<ILayoutRestorer>;
}
