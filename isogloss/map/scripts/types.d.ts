// What the scripts hand to each other, for `tsc` and editors; no browser is ever sent this.

declare global {
  type Camera = import("./camera.js").Camera;
  type Display = import("./display.js").Display;
  type Dock = import("./dock.js").Dock;
  type Focus = import("./focus.js").Focus;
  type Labels = import("./labels.js").Labels;
  type Motion = import("./motion.js").Motion;
  type Panes = import("./panes.js").Panes;
  type Sheet = import("./sheet.js").Sheet;
  type Side = import("./side.js").Side;
  type Stage = import("./stage.js").Stage;
  type Toolbar = import("./toolbar.js").Toolbar;
  type Tour = import("./tour.js").Tour;
  type World = import("./world.js").World;

  /** Of an element; those that begin with "on" are functions. */
  type Attributes = Record<string, string | boolean | null | undefined | (() => void)>;

  /** [colour, shape or null for both, text] */
  type LegendRow = [string | null, number | null, string];

  /** Where a word is written: [across, down, lines away] from its marker. */
  type Spot = [across: number, down: number, away?: number];

  interface WrittenSpot {
    spot: Spot;
    box: Box;
    text: string;
  }

  interface WrittenLabel extends WrittenSpot {
    opacity: number;
    leaving: boolean;
  }

  /** In pixels, from the upper left corner of the stage. */
  type Place = [x: number, y: number];

  /** Red, green and blue, each up to 255. */
  type Channels = number[];

  interface Box {
    left: number;
    right: number;
    bottom: number;
    top: number;
  }

  /** From layout to pixels at a stop, not zoomed. */
  interface Frame {
    scaleX: number;
    scaleY: number;
    middleX: number;
    middleY: number;
  }

  interface Glide {
    from: number;
    elapsed: number;
    lasts: number;
    watched: boolean;
  }

  interface Score {
    name: string;
    values: number[];
    lower: number[] | null;
    upper: number[] | null;
    chance: number | null;
    random: number[] | null;
    about: string;
    drawn: boolean;
    badge: string;
  }

  /** What of a view goes through addresses, tours and reports alike. */
  interface Look {
    layer: number;
    pins: number[];
    color_by: string;
    links: boolean;
    labels: boolean;
    curves: number[];
  }

  interface TourStep extends Look {
    sentence: string;
    where: string;
  }

  /** What payload.py writes before the numbers. */
  interface MapHeader {
    title: string;
    stops: string[];
    boxes: Box[];
    names: string[];
    languages: Language[];
    texts: string[];
    sides: number[];
    sentence_of: number[];
    sentences: string[][];
    topic_of: number[];
    topics: string[];
    content: number[];
    spans: number[] | null;
    /** A shape for each point, null where the language decides. */
    shapes: number[] | null;
    /** How many of the last points are middles of stars. */
    middles: number;
    links: number[];
    links_at: number[][] | null;
    lines: string;
    ranks_rest_on: string;
    scores: Score[];
    /** What is said of a language at a stop, for each language and stop. */
    of_languages?: string[][];
    notes: string[] | null;
    caption: string;
    provenance: Record<string, string>;
  }

  interface Language {
    code: string;
    name: string;
  }

  /** The links of a stop, as a, b, a, b, …, and who is linked with whom. */
  interface StopLinks {
    links: Int32Array;
    drawnLinks: Int32Array;
    linksLeftOut: string;
    firstPartner: Int32Array;
    partners: Int32Array;
  }

  /** The view that Python asks for; a file of its own has no revision, digest, series and pane, and
   * only a notebook selects points. */
  interface MapView extends Look {
    selection?: number[];
    talk: boolean;
    tour: TourStep[];
    step: number | null;
    arrives: boolean;
    height: number | null;
    pane?: string;
    name?: string;
    revision?: number;
    digest?: string;
    series?: string;
  }

  /** What Python is told: the view as it is now. */
  interface MapState extends Look {
    selection: number[];
    talk: boolean;
    step: number | null;
  }

  /** What anywidget hands to a notebook's view: the traits that Python has, too. */
  interface WidgetModel {
    get(name: string): unknown;
    set(name: string, value: unknown): void;
    save_changes(): void;
    on(event: string, heard: () => void): void;
    off(event: string, heard: () => void): void;
  }

  /** How the map is looked at just now; `led` while the other pane leads. */
  interface LiveView {
    lassoing: boolean;
    polygon: Place[];
    dragging: boolean;
    led: boolean;
    coloring: string;
    showLinks: boolean;
    showLabels: boolean;
    height: number | null;
  }

  interface Theme {
    sides: string[];
    categories: string[];
    aligned: string[];
    none: string;
    dark: boolean;
    paper: string;
    ink: string;
  }

  /** Colours, and which of them each point takes. */
  interface Coloring {
    palette: string[];
    slots: Uint8Array;
  }

  /** What is shown and in which colours, wherever it is drawn. */
  interface Shown extends Coloring {
    theme: Theme;
    bright: Uint8Array | null;
    pins: number[];
    lit: number;
    matches: number[];
    coloring: string;
    showLinks: boolean;
    showLabels: boolean;
    stop: number;
    layer: number;
    moving?: boolean;
  }

  /** All that is needed to draw the points of a stop in a picture of a size. */
  interface Scene extends Shown {
    world: World;
    camera: Camera;
    screen: Float32Array;
    radius: number;
    width: number;
    height: number;
    shade: number;
  }

  /** A scene with words; `letter` is their size in pixels. */
  interface StageScene extends Scene {
    labels: Labels;
    letter: number;
  }

  /** The picture that markers and links are drawn into, pixel by pixel. */
  interface PixelFrame {
    pixels: Int32Array;
    width: number;
    height: number;
    ratio: number;
    margin: number;
  }

  /** What painters use of a canvas, and what the SVG surface has. */
  type Surface = Pick<
    CanvasRenderingContext2D,
    | "save" | "restore" | "translate" | "clip" | "beginPath" | "moveTo" | "lineTo" | "closePath" | "rect" | "arc"
    | "fill" | "stroke" | "fillRect" | "measureText" | "strokeText" | "fillText" | "globalAlpha" | "fillStyle"
    | "strokeStyle" | "lineWidth" | "lineCap" | "lineJoin" | "font" | "textAlign" | "textBaseline"
  >;

  interface LabelFrame {
    context: CanvasRenderingContext2D;
    screen: Float32Array;
    width: number;
    height: number;
    radius: number;
    boxes: Box[];
  }

  /** `forced` words come first; of the others those are written that are `allowed`, null for all. */
  interface LabelScene extends Omit<LabelFrame, "context" | "boxes"> {
    stop: number;
    forced: number[];
    moving: boolean;
    elapsed: number;
    wanted: boolean;
    allowed: Uint8Array | null;
  }

  interface SliderActions {
    begin(x: number): void;
    move(x: number): void;
    end(): void;
    hover(x: number): void;
    leave(): void;
  }

  interface MapActions {
    hover(x: number, y: number): void;
    leave(): void;
    lassoing(): boolean;
    zoom(x: number, y: number, factor: number): void;
    pan(dx: number, dy: number): void;
    click(x: number, y: number): void;
    doubleClick(x: number, y: number): void;
    lasso(polygon: Place[], done: boolean): void;
  }

  type KeyAction =
    | "togglePlay" | "toggleLinks" | "toggleLabels" | "toggleSheet" | "toggleTalk" | "fit" | "escape" | "focusSearch"
    | "clearSearch";

  interface KeyActions extends Record<KeyAction, () => void> {
    step(steps: number): void;
    space(by: number): void;
    tour(by: number): void;
    zoom(factor: number): void;
    nextMatch(step: number): void;
    pinMatch(): void;
    talking(): boolean;
    leads(): boolean;
    touring(): boolean;
  }

  interface SideActions {
    color(coloring: string): void;
    unpin(point: number): void;
    light(point: number): void;
    select(points: number[]): void;
  }

  interface ToolbarActions extends Record<"links" | "labels" | "lasso" | "sheet" | "talk" | "tour" | "png" | "svg", () => void> {
    search(query: string): void;
  }

  interface ToolbarState {
    links: boolean;
    labels: boolean;
    lassoing: boolean;
    sheet: boolean;
    found: string;
    tour: Tour;
  }

  /** Precomputed pixels of a marker: where they go, their colours, and what they leave of what is below. */
  interface Stamp {
    offsets: Int32Array;
    ready: Int32Array;
    rests: Int32Array;
  }

  interface DisplayState {
    motion: Motion;
    focus: Focus;
    tour: Tour;
    view: LiveView;
  }

  interface DisplayParts {
    root: HTMLElement;
    name: HTMLElement;
    toolbar: Toolbar;
    stage: Stage;
    side: Side;
    sheet: Sheet;
    dock: Dock;
  }

  interface PaneState {
    motion: Motion;
    focus: Focus;
    view: LiveView;
    side: Side;
    display: Display;
  }

  interface PickingState extends PaneState {
    stage: Stage;
    panes: Panes;
  }

  /** What one pane tells the other; what is absent has not changed. */
  interface PaneNews extends Partial<Pick<LiveView, "coloring" | "showLinks" | "showLabels">> {
    share?: number;
    resting?: boolean;
    at?: "once";
  }

  interface PanePoints {
    pins?: number[];
    selection?: number[];
    lit?: number[];
  }

  interface PaneMessage {
    from: Panes;
    joining?: boolean;
    leading?: boolean;
    parting?: boolean;
    talk?: boolean;
    state?: PaneNews;
    points?: PanePoints;
  }

  interface PaneActions {
    talk(on: boolean): void;
    met(): void;
    commit(): void;
  }

  /** A word by the sentence it stands in and where, which both maps know. */
  interface WordPlace {
    sentence: string;
    span: [number, number] | null;
  }
}

// Fields that a class takes over from an object as a whole.

declare module "./world.js" {
  interface World extends Omit<MapHeader, "sides" | "links" | "shapes">, StopLinks {}
}

declare module "./display.js" {
  interface Display extends DisplayState, DisplayParts, Coloring {
    world: World;
    advanced: (ended: boolean) => void;
  }
}

declare module "./picking.js" {
  interface Picking extends PickingState {
    commit: () => void;
  }
}

declare module "./panes.js" {
  interface Panes extends PaneState, PaneActions {
    world: World;
  }
}

export {};
