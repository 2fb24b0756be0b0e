import { cssColors } from "../palette.js";

/** The page's whole style: light and dark, wide and narrow, screen and print. */
export const pageStyle = `
:root{color-scheme:light dark;${cssColors("light")}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${cssColors("dark")}}}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark;${cssColors("dark")}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
.skip{position:absolute;left:-999px}
.skip:focus{left:.5rem;top:.5rem;background:var(--card);padding:.5rem 1rem;z-index:1}
header,main,footer{max-width:960px;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{font-size:1.6rem;line-height:1.2;margin:0 0 .75rem}
h2{font-size:1.3rem;margin:2rem 0 .75rem}
h3{font-size:1.1rem;margin:0 0 .25rem}
p{margin:0 0 .75rem}
.quiet,figcaption,output,footer{color:var(--muted);font-size:.9rem}
.bar{display:flex;flex-wrap:wrap;gap:.75rem 1.5rem;align-items:center;justify-content:space-between}
nav ul,.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0;padding:0}
nav ul+ul{margin-top:.4rem}
a{color:var(--accent)}
fieldset{border:0;margin:0 0 .75rem;padding:0;display:flex;flex-wrap:wrap;gap:.4rem;min-width:0}
fieldset label{position:relative;cursor:pointer}
fieldset input{position:absolute;opacity:0;inset:0;margin:0;cursor:pointer;width:100%;height:100%}
fieldset span{display:block;padding:.25rem .7rem;border:1px solid var(--line);border-radius:1rem;font-size:.85rem}
fieldset input:checked+span{background:var(--accent);border-color:var(--accent);color:var(--card)}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
:focus-visible,fieldset input:focus-visible+span{outline:3px solid var(--accent);outline-offset:2px}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.1rem;margin:0 0 1rem}
.facts{display:flex;flex-wrap:wrap;gap:.6rem;margin:0 0 1rem}
.facts div{flex:0 1 auto;min-width:0;background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.5rem .8rem}
dt{color:var(--muted);font-size:.8rem}
ul{margin:0;padding-left:1.2rem}
dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.legend{font-size:.85rem;margin:0 0 .5rem}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:.2em;margin-right:.4em}
.plot svg{display:block;max-width:100%;height:auto}
.plot text{white-space:pre}
.plot [data-on]{stroke:var(--ink)!important;stroke-width:2px!important}
output{display:block;min-height:1.5em;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;max-height:24rem;overflow-y:auto}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;width:100%}
th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th{color:var(--muted);font-weight:600}
tr.chosen{font-weight:600}
summary{cursor:pointer;color:var(--muted);font-size:.9rem;padding:.2rem 0}
footer{padding-top:1rem;padding-bottom:2rem}
.narrow{display:none}
@media (max-width:640px){
header,main,footer{padding-left:.6rem;padding-right:.6rem}
.card{padding:.8rem .7rem}
.wide{display:none}.narrow{display:block}
.facts{display:grid;grid-template-columns:1fr 1fr}
}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{.bar fieldset,nav,output,details,.skip{display:none}.card{break-inside:avoid}}
`.replaceAll("\n", "");
