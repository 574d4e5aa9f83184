/** A style sheet, imported as text; the build makes it smaller. */
declare module "*.css" {
  const css: string;
  export default css;
}
