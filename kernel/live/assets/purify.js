/*!
Made by 'make live-page' from kernel/live/page. It contains:

dompurify 3.4.18

Apache License
                           Version 2.0, January 2004
                        http://www.apache.org/licenses/

   TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION

   1. Definitions.

      "License" shall mean the terms and conditions for use, reproduction,
      and distribution as defined by Sections 1 through 9 of this document.

      "Licensor" shall mean the copyright owner or entity authorized by
      the copyright owner that is granting the License.

      "Legal Entity" shall mean the union of the acting entity and all
      other entities that control, are controlled by, or are under common
      control with that entity. For the purposes of this definition,
      "control" means (i) the power, direct or indirect, to cause the
      direction or management of such entity, whether by contract or
      otherwise, or (ii) ownership of fifty percent (50%) or more of the
      outstanding shares, or (iii) beneficial ownership of such entity.

      "You" (or "Your") shall mean an individual or Legal Entity
      exercising permissions granted by this License.

      "Source" form shall mean the preferred form for making modifications,
      including but not limited to software source code, documentation
      source, and configuration files.

      "Object" form shall mean any form resulting from mechanical
      transformation or translation of a Source form, including but
      not limited to compiled object code, generated documentation,
      and conversions to other media types.

      "Work" shall mean the work of authorship, whether in Source or
      Object form, made available under the License, as indicated by a
      copyright notice that is included in or attached to the work
      (an example is provided in the Appendix below).

      "Derivative Works" shall mean any work, whether in Source or Object
      form, that is based on (or derived from) the Work and for which the
      editorial revisions, annotations, elaborations, or other modifications
      represent, as a whole, an original work of authorship. For the purposes
      of this License, Derivative Works shall not include works that remain
      separable from, or merely link (or bind by name) to the interfaces of,
      the Work and Derivative Works thereof.

      "Contribution" shall mean any work of authorship, including
      the original version of the Work and any modifications or additions
      to that Work or Derivative Works thereof, that is intentionally
      submitted to Licensor for inclusion in the Work by the copyright owner
      or by an individual or Legal Entity authorized to submit on behalf of
      the copyright owner. For the purposes of this definition, "submitted"
      means any form of electronic, verbal, or written communication sent
      to the Licensor or its representatives, including but not limited to
      communication on electronic mailing lists, source code control systems,
      and issue tracking systems that are managed by, or on behalf of, the
      Licensor for the purpose of discussing and improving the Work, but
      excluding communication that is conspicuously marked or otherwise
      designated in writing by the copyright owner as "Not a Contribution."

      "Contributor" shall mean Licensor and any individual or Legal Entity
      on behalf of whom a Contribution has been received by Licensor and
      subsequently incorporated within the Work.

   2. Grant of Copyright License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      copyright license to reproduce, prepare Derivative Works of,
      publicly display, publicly perform, sublicense, and distribute the
      Work and such Derivative Works in Source or Object form.

   3. Grant of Patent License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      (except as stated in this section) patent license to make, have made,
      use, offer to sell, sell, import, and otherwise transfer the Work,
      where such license applies only to those patent claims licensable
      by such Contributor that are necessarily infringed by their
      Contribution(s) alone or by combination of their Contribution(s)
      with the Work to which such Contribution(s) was submitted. If You
      institute patent litigation against any entity (including a
      cross-claim or counterclaim in a lawsuit) alleging that the Work
      or a Contribution incorporated within the Work constitutes direct
      or contributory patent infringement, then any patent licenses
      granted to You under this License for that Work shall terminate
      as of the date such litigation is filed.

   4. Redistribution. You may reproduce and distribute copies of the
      Work or Derivative Works thereof in any medium, with or without
      modifications, and in Source or Object form, provided that You
      meet the following conditions:

      (a) You must give any other recipients of the Work or
          Derivative Works a copy of this License; and

      (b) You must cause any modified files to carry prominent notices
          stating that You changed the files; and

      (c) You must retain, in the Source form of any Derivative Works
          that You distribute, all copyright, patent, trademark, and
          attribution notices from the Source form of the Work,
          excluding those notices that do not pertain to any part of
          the Derivative Works; and

      (d) If the Work includes a "NOTICE" text file as part of its
          distribution, then any Derivative Works that You distribute must
          include a readable copy of the attribution notices contained
          within such NOTICE file, excluding those notices that do not
          pertain to any part of the Derivative Works, in at least one
          of the following places: within a NOTICE text file distributed
          as part of the Derivative Works; within the Source form or
          documentation, if provided along with the Derivative Works; or,
          within a display generated by the Derivative Works, if and
          wherever such third-party notices normally appear. The contents
          of the NOTICE file are for informational purposes only and
          do not modify the License. You may add Your own attribution
          notices within Derivative Works that You distribute, alongside
          or as an addendum to the NOTICE text from the Work, provided
          that such additional attribution notices cannot be construed
          as modifying the License.

      You may add Your own copyright statement to Your modifications and
      may provide additional or different license terms and conditions
      for use, reproduction, or distribution of Your modifications, or
      for any such Derivative Works as a whole, provided Your use,
      reproduction, and distribution of the Work otherwise complies with
      the conditions stated in this License.

   5. Submission of Contributions. Unless You explicitly state otherwise,
      any Contribution intentionally submitted for inclusion in the Work
      by You to the Licensor shall be under the terms and conditions of
      this License, without any additional terms or conditions.
      Notwithstanding the above, nothing herein shall supersede or modify
      the terms of any separate license agreement you may have executed
      with Licensor regarding such Contributions.

   6. Trademarks. This License does not grant permission to use the trade
      names, trademarks, service marks, or product names of the Licensor,
      except as required for reasonable and customary use in describing the
      origin of the Work and reproducing the content of the NOTICE file.

   7. Disclaimer of Warranty. Unless required by applicable law or
      agreed to in writing, Licensor provides the Work (and each
      Contributor provides its Contributions) on an "AS IS" BASIS,
      WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or
      implied, including, without limitation, any warranties or conditions
      of TITLE, NON-INFRINGEMENT, MERCHANTABILITY, or FITNESS FOR A
      PARTICULAR PURPOSE. You are solely responsible for determining the
      appropriateness of using or redistributing the Work and assume any
      risks associated with Your exercise of permissions under this License.

   8. Limitation of Liability. In no event and under no legal theory,
      whether in tort (including negligence), contract, or otherwise,
      unless required by applicable law (such as deliberate and grossly
      negligent acts) or agreed to in writing, shall any Contributor be
      liable to You for damages, including any direct, indirect, special,
      incidental, or consequential damages of any character arising as a
      result of this License or out of the use or inability to use the
      Work (including but not limited to damages for loss of goodwill,
      work stoppage, computer failure or malfunction, or any and all
      other commercial damages or losses), even if such Contributor
      has been advised of the possibility of such damages.

   9. Accepting Warranty or Additional Liability. While redistributing
      the Work or Derivative Works thereof, You may choose to offer,
      and charge a fee for, acceptance of support, warranty, indemnity,
      or other liability obligations and/or rights consistent with this
      License. However, in accepting such obligations, You may act only
      on Your own behalf and on Your sole responsibility, not on behalf
      of any other Contributor, and only if You agree to indemnify,
      defend, and hold each Contributor harmless for any liability
      incurred by, or claims asserted against, such Contributor by reason
      of your accepting any such warranty or additional liability.

   END OF TERMS AND CONDITIONS

   APPENDIX: How to apply the Apache License to your work.

      To apply the Apache License to your work, attach the following
      boilerplate notice, with the fields enclosed by brackets "[]"
      replaced with your own identifying information. (Don't include
      the brackets!)  The text should be enclosed in the appropriate
      comment syntax for the file format. We also recommend that a
      file or class name and description of purpose be included on the
      same "printed page" as the copyright notice for easier
      identification within third-party archives.

   Copyright [yyyy] [name of copyright owner]

   Licensed under the Apache License, Version 2.0 (the "License");
   you may not use this file except in compliance with the License.
   You may obtain a copy of the License at

       http://www.apache.org/licenses/LICENSE-2.0

   Unless required by applicable law or agreed to in writing, software
   distributed under the License is distributed on an "AS IS" BASIS,
   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
   See the License for the specific language governing permissions and
   limitations under the License.
*/

(()=>{function fo(r,i){this.v=r,this.k=i}function nn(r,i){(i==null||i>r.length)&&(i=r.length);for(var a=0,c=Array(i);a<i;a++)c[a]=r[a];return c}function po(r){if(Array.isArray(r))return r}function mo(r,i){var a=r==null?null:typeof Symbol<"u"&&r[Symbol.iterator]||r["@@iterator"];if(a!=null){var c,f,m,h,U=[],O=!0,z=!1;try{if(m=(a=a.call(r)).next,i===0){if(Object(a)!==a)return;O=!1}else for(;!(O=(c=m.call(a)).done)&&(U.push(c.value),U.length!==i);O=!0);}catch(w){z=!0,f=w}finally{try{if(!O&&a.return!=null&&(h=a.return(),Object(h)!==h))return}finally{if(z)throw f}}return U}}function ho(){throw new TypeError(`Invalid attempt to destructure non-iterable instance.
In order to be iterable, non-array objects must have a [Symbol.iterator]() method.`)}function _o(r,i){return po(r)||mo(r,i)||To(r,i)||ho()}function To(r,i){if(r){if(typeof r=="string")return nn(r,i);var a={}.toString.call(r).slice(8,-1);return a==="Object"&&r.constructor&&(a=r.constructor.name),a==="Map"||a==="Set"?Array.from(r):a==="Arguments"||/^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(a)?nn(r,i):void 0}}function Mt(r){var i,a;function c(m,h){try{var U=r[m](h),O=U.value,z=O instanceof fo;Promise.resolve(z?O.v:O).then(function(w){if(z){var P=m==="return"&&O.k?m:"next";if(!O.k||w.done)return c(P,w);w=r[P](w).value}f(!!U.done,w)},function(w){c("throw",w)})}catch(w){f(2,w)}}function f(m,h){m===2?i.reject(h):i.resolve({value:h,done:m}),(i=i.next)?c(i.key,i.arg):a=null}this._invoke=function(m,h){return new Promise(function(U,O){var z={key:m,arg:h,resolve:U,reject:O,next:null};a?a=a.next=z:(i=a=z,c(m,h))})},typeof r.return!="function"&&(this.return=void 0)}Mt.prototype[typeof Symbol=="function"&&Symbol.asyncIterator||"@@asyncIterator"]=function(){return this},Mt.prototype.next=function(r){return this._invoke("next",r)},Mt.prototype.throw=function(r){return this._invoke("throw",r)},Mt.prototype.return=function(r){return this._invoke("return",r)};var _n=Object.entries,go=Object.keys,on=Object.setPrototypeOf,Ao=Object.isFrozen,Tn=Object.getPrototypeOf,gn=Object.getOwnPropertyDescriptor,D=Object.freeze,S=Object.seal,K=Object.create,An=typeof Reflect<"u"&&Reflect,kt=An.apply,be=An.construct;D||(D=function(i){return i});S||(S=function(i){return i});kt||(kt=function(i,a){for(var c=arguments.length,f=new Array(c>2?c-2:0),m=2;m<c;m++)f[m-2]=arguments[m];return i.apply(a,f)});be||(be=function(i){for(var a=arguments.length,c=new Array(a>1?a-1:0),f=1;f<a;f++)c[f-1]=arguments[f];return new i(...c)});var Y=_(Array.prototype.forEach),Eo=_(Array.prototype.lastIndexOf),rn=_(Array.prototype.pop),At=_(Array.prototype.push),yo=_(Array.prototype.slice),So=_(Array.prototype.splice),ft=Array.isArray,me=En(Set),de=_(Set.prototype.add),Et=_(Set.prototype.has),et=_(String.prototype.toLowerCase),he=_(String.prototype.toString),bo=_(String.prototype.match),Ct=_(String.prototype.replace),_e=_(String.prototype.indexOf),Oo=_(String.prototype.trim),Ro=_(Number.prototype.toString),Do=_(Boolean.prototype.toString),sn=typeof BigInt>"u"?null:_(BigInt.prototype.toString),an=typeof Symbol>"u"?null:_(Symbol.prototype.toString),I=_(Object.prototype.hasOwnProperty),yt=_(Object.prototype.toString),Lo=RegExp.prototype.test,R=function(i,a){return i instanceof RegExp&&(i.lastIndex=0),kt(Lo,i,[a])},j=En(TypeError);function _(r){return function(i){for(var a=arguments.length,c=new Array(a>1?a-1:0),f=1;f<a;f++)c[f-1]=arguments[f];return kt(r,i,c)}}function En(r){return function(){for(var i=arguments.length,a=new Array(i),c=0;c<i;c++)a[c]=arguments[c];return be(r,a)}}function d(r,i){let a=arguments.length>2&&arguments[2]!==void 0?arguments[2]:et;if(on&&on(r,null),!ft(i))return r;let c=i.length;for(;c--;){let f=i[c];if(typeof f=="string"){let m=a(f);m!==f&&(Ao(i)||(i[c]=m),f=m)}r[f]=!0}return r}function wo(r){for(let i=0;i<r.length;i++)I(r,i)||(r[i]=null);return r}function Ut(r){let i=K(null);for(let c of _n(r)){var a=_o(c,2);let f=a[0],m=a[1];I(r,f)&&(ft(m)?i[f]=wo(m):m&&typeof m=="object"&&m.constructor===Object?i[f]=Ut(m):i[f]=m)}return i}function St(r){let i=K(null),a=go(r),c=a.length;for(;c--;)i[a[c]]=r[a[c]];return i}function Io(r){switch(typeof r){case"string":return r;case"number":return Ro(r);case"boolean":return Do(r);case"bigint":return sn?sn(r):"0";case"symbol":return an?an(r):"Symbol()";case"undefined":return yt(r);case"function":case"object":{if(r===null)return yt(r);let i=r,a=M(i,"toString");if(typeof a=="function"){let c=a(i);return typeof c=="string"?c:yt(c)}return yt(r)}default:return yt(r)}}function M(r,i){for(;r!==null;){let c=gn(r,i);if(c){if(c.get)return _(c.get);if(typeof c.value=="function")return _(c.value)}r=Tn(r)}function a(){return null}return a}function No(r,i){for(;r!==null;){let a=gn(r,i);if(a)return a.get?_(a.get):null;r=Tn(r)}return null}function vo(r){if(!r)return!1;try{return R(r,""),!0}catch{return!1}}var ln=D(["a","abbr","acronym","address","area","article","aside","audio","b","bdi","bdo","big","blink","blockquote","body","br","button","canvas","caption","center","cite","code","col","colgroup","content","data","datalist","dd","decorator","del","details","dfn","dialog","dir","div","dl","dt","element","em","fieldset","figcaption","figure","font","footer","form","h1","h2","h3","h4","h5","h6","head","header","hgroup","hr","html","i","img","input","ins","kbd","label","legend","li","main","map","mark","marquee","menu","menuitem","meter","nav","nobr","ol","optgroup","option","output","p","picture","pre","progress","q","rp","rt","ruby","s","samp","search","section","select","shadow","slot","small","source","spacer","span","strike","strong","style","sub","summary","sup","table","tbody","td","template","textarea","tfoot","th","thead","time","tr","track","tt","u","ul","var","video","wbr"]),Te=D(["svg","a","altglyph","altglyphdef","altglyphitem","animatecolor","animatemotion","animatetransform","circle","clippath","defs","desc","ellipse","filter","font","g","glyph","glyphref","hkern","image","line","lineargradient","marker","mask","metadata","mpath","path","pattern","polygon","polyline","radialgradient","rect","stop","style","switch","symbol","text","textpath","title","tref","tspan","view","vkern"]),ge=D(["feBlend","feColorMatrix","feComponentTransfer","feComposite","feConvolveMatrix","feDiffuseLighting","feDisplacementMap","feDistantLight","feDropShadow","feFlood","feFuncA","feFuncB","feFuncG","feFuncR","feGaussianBlur","feImage","feMerge","feMergeNode","feMorphology","feOffset","fePointLight","feSpecularLighting","feSpotLight","feTile","feTurbulence"]),Po=D(["animate","color-profile","cursor","discard","font-face","font-face-format","font-face-name","font-face-src","font-face-uri","foreignobject","hatch","hatchpath","mesh","meshgradient","meshpatch","meshrow","missing-glyph","script","set","solidcolor","unknown","use"]),Ae=D(["math","menclose","merror","mfenced","mfrac","mglyph","mi","mlabeledtr","mmultiscripts","mn","mo","mover","mpadded","mphantom","mroot","mrow","ms","mspace","msqrt","mstyle","msub","msup","msubsup","mtable","mtd","mtext","mtr","munder","munderover","mprescripts"]),Mo=D(["maction","maligngroup","malignmark","mlongdiv","mscarries","mscarry","msgroup","mstack","msline","msrow","semantics","annotation","annotation-xml","mprescripts","none"]),cn=D(["#text"]),un=D(["accept","action","align","alt","autocapitalize","autocomplete","autopictureinpicture","autoplay","background","bgcolor","border","capture","cellpadding","cellspacing","checked","cite","class","clear","color","cols","colspan","command","commandfor","controls","controlslist","coords","crossorigin","datetime","decoding","default","dir","disabled","disablepictureinpicture","disableremoteplayback","download","draggable","enctype","enterkeyhint","exportparts","face","for","headers","height","hidden","high","href","hreflang","id","inert","inputmode","integrity","ismap","kind","label","lang","list","loading","loop","low","max","maxlength","media","method","min","minlength","multiple","muted","name","nonce","noshade","novalidate","nowrap","open","optimum","part","pattern","placeholder","playsinline","popover","popovertarget","popovertargetaction","poster","preload","pubdate","radiogroup","readonly","rel","required","rev","reversed","role","rows","rowspan","spellcheck","scope","selected","shape","size","sizes","slot","span","srclang","start","src","srcset","step","style","summary","tabindex","title","translate","type","usemap","valign","value","width","wrap","xmlns"]),Ee=D(["accent-height","accumulate","additive","alignment-baseline","amplitude","ascent","attributename","attributetype","azimuth","basefrequency","baseline-shift","begin","bias","by","class","clip","clippathunits","clip-path","clip-rule","color","color-interpolation","color-interpolation-filters","color-profile","color-rendering","cx","cy","d","dx","dy","diffuseconstant","direction","display","divisor","dominant-baseline","dur","edgemode","elevation","end","exponent","fill","fill-opacity","fill-rule","filter","filterunits","flood-color","flood-opacity","font-family","font-size","font-size-adjust","font-stretch","font-style","font-variant","font-weight","fx","fy","g1","g2","glyph-name","glyphref","gradientunits","gradienttransform","height","href","id","image-rendering","in","in2","intercept","k","k1","k2","k3","k4","kerning","keypoints","keysplines","keytimes","lang","lengthadjust","letter-spacing","kernelmatrix","kernelunitlength","lighting-color","local","marker-end","marker-mid","marker-start","markerheight","markerunits","markerwidth","maskcontentunits","maskunits","max","mask","mask-type","media","method","mode","min","name","numoctaves","offset","operator","opacity","order","orient","orientation","origin","overflow","paint-order","path","pathlength","patterncontentunits","patterntransform","patternunits","pointer-events","points","preservealpha","preserveaspectratio","primitiveunits","r","rx","ry","radius","refx","refy","repeatcount","repeatdur","restart","result","rotate","scale","seed","shape-rendering","slope","specularconstant","specularexponent","spreadmethod","startoffset","stddeviation","stitchtiles","stop-color","stop-opacity","stroke-dasharray","stroke-dashoffset","stroke-linecap","stroke-linejoin","stroke-miterlimit","stroke-opacity","stroke","stroke-width","style","surfacescale","systemlanguage","tabindex","tablevalues","targetx","targety","transform","transform-origin","text-anchor","text-decoration","text-orientation","text-rendering","textlength","type","u1","u2","unicode","values","vector-effect","viewbox","visibility","version","vert-adv-y","vert-origin-x","vert-origin-y","width","word-spacing","wrap","writing-mode","xchannelselector","ychannelselector","x","x1","x2","xmlns","y","y1","y2","z","zoomandpan"]),fn=D(["accent","accentunder","align","bevelled","close","columnalign","columnlines","columnspacing","columnspan","denomalign","depth","dir","display","displaystyle","encoding","fence","frame","height","href","id","largeop","length","linethickness","lquote","lspace","mathbackground","mathcolor","mathsize","mathvariant","maxsize","minsize","movablelimits","notation","numalign","open","rowalign","rowlines","rowspacing","rowspan","rspace","rquote","scriptlevel","scriptminsize","scriptsizemultiplier","selection","separator","separators","stretchy","subscriptshift","supscriptshift","symmetric","voffset","width","xmlns"]),xt=D(["xlink:href","xml:id","xlink:title","xml:space","xmlns:xlink"]),Co=S(/{{[\w\W]*|^[\w\W]*}}/g),xo=S(/<%[\w\W]*|^[\w\W]*%>/g),ko=S(/\${[\w\W]*/g),Uo=S(/{{|}}|\${|<%|%>|&lt;%|%&gt;/),zo=S(/^data-[\-\w.\u00B7-\uFFFF]+$/),Fo=S(/^aria-[\-\w]+$/),pn=S(/^(?:(?:(?:f|ht)tps?|mailto|tel|callto|sms|cid|xmpp|matrix):|[^a-z]|[a-z+.\-]+(?:[^a-z+.\-:]|$))/i),Ho=S(/^(?:\w+script|data):/i),Go=S(/[\u0000-\u0020\u00A0\u1680\u180E\u2000-\u2029\u205F\u3000]/g),Wo=S(/^html$/i),Bo=S(/^[a-z][.\w]*(-[.\w]+)+$/i),ye=S(/<[/\w!]/g),mn=S(/<[/\w]/g),Yo=S(/<\/no(script|embed|frames)/i),dn=S(/\/>/i),jo=S(/((--!?|])>)|<\/(style|script|title|xmp|textarea|noscript|iframe|noembed|noframes)/i),Vo=S(/^[\r\n\t ]+/),y={element:1,text:3,processingInstruction:7,comment:8,document:9,documentFragment:11},$o=D(d({},["style","script","xmp","iframe","noembed","noframes","plaintext","noscript"])),Xo=function(){return typeof window>"u"?null:window},Ko=function(i,a){if(typeof i!="object"||typeof i.createPolicy!="function")return null;let c=null,f="data-tt-policy-suffix";a&&a.hasAttribute(f)&&(c=a.getAttribute(f));let m="dompurify"+(c?"#"+c:"");try{return i.createPolicy(m,{createHTML(h){return h},createScriptURL(h){return h}})}catch{return console.warn("TrustedTypes policy "+m+" could not be created."),null}},hn=function(){return{afterSanitizeAttributes:[],afterSanitizeElements:[],afterSanitizeShadowDOM:[],beforeSanitizeAttributes:[],beforeSanitizeElements:[],beforeSanitizeShadowDOM:[],uponSanitizeAttribute:[],uponSanitizeElement:[],uponSanitizeShadowNode:[]}},X=function(i,a,c,f){return I(i,a)&&ft(i[a])?d(f.base?St(f.base):{},i[a],f.transform):c},Se=function(i,a,c){let f=I(i,a)?i[a]:void 0;return f&&typeof f=="object"?Ut(f):c};function yn(){let r=arguments.length>0&&arguments[0]!==void 0?arguments[0]:Xo(),i=o=>yn(o);if(i.version="3.4.18",i.removed=[],!r||!r.document||r.document.nodeType!==y.document||!r.Element)return i.isSupported=!1,i;let a=r.document,c=a,f=c.currentScript,m=r.HTMLTemplateElement,h=r.Node,U=r.Element,O=r.NodeFilter,z=r.DOMParser,w=r.trustedTypes,P=U.prototype,bn=M(P,"cloneNode"),zt=M(P,"remove"),On=M(P,"removeAttributeNode"),Rn=M(P,"nextSibling"),pt=M(P,"childNodes"),nt=M(P,"parentNode"),Ft=M(P,"shadowRoot"),Oe=M(P,"attributes"),mt=h&&h.prototype?M(h.prototype,"nodeType"):null,ot=h&&h.prototype?M(h.prototype,"nodeName"):null,Re=h&&h.prototype?M(h.prototype,"ownerDocument"):null,C=function(t){return mt?mt(t):t.nodeType},rt=function(t){return ot?ot(t):t.nodeName},De=No(P,"namespaceURI"),Ht=function(t){return De?De(t):t.namespaceURI};if(typeof m=="function"){let o=a.createElement("template");o.content&&o.content.ownerDocument&&(a=o.content.ownerDocument)}let N,q="",Gt,Le=!1,dt=0,we=function(){if(dt>0)throw j('A configured TRUSTED_TYPES_POLICY callback (createHTML or createScriptURL) must not call DOMPurify.sanitize, as that causes infinite recursion. Do not pass a policy whose callbacks wrap DOMPurify as TRUSTED_TYPES_POLICY; see the "DOMPurify and Trusted Types" section of the README.')},ht=function(t){we(),dt++;try{return N.createHTML(t)}finally{dt--}},Ie=function(t){return N&&Kt?ht(t):t},Dn=function(t){we(),dt++;try{return N.createScriptURL(t)}finally{dt--}},Ln=function(){return Le||(Gt=Ko(w,f),Le=!0),Gt},bt=a,Wt=bt.implementation,wn=bt.createNodeIterator,In=bt.createDocumentFragment,Nn=bt.getElementsByTagName,vn=c.importNode,T=hn();i.isSupported=typeof _n=="function"&&typeof nt=="function"&&Wt&&Wt.createHTMLDocument!==void 0;let Pn=Co,Mn=xo,Cn=ko,xn=zo,kn=Fo,Un=Ho,zn=Go,Fn=Bo,Ne=pn,g=null,Bt=d({},[...ln,...Te,...ge,...Ae,...cn]),A=null,Yt=d({},[...un,...Ee,...fn,...xt]),F=null,_t=null,ve=null,V=Object.seal(K(null,{tagCheck:{writable:!0,configurable:!1,enumerable:!0,value:null},attributeCheck:{writable:!0,configurable:!1,enumerable:!0,value:null}})),Pe=!0,jt=!0,Me=!1,Vt=!0,W=!1,Z=!0,J=!1,$t=!1,Ot=null,Rt=null,Xt=!1,it=!1,Dt=!1,Kt=!1,Ce=!0,xe=!1,ke="user-content-",qt=!0,Zt=!1,Q=null,st=!1,tt=null,Ue=d({},["annotation-xml","audio","colgroup","desc","foreignobject","head","iframe","math","mi","mn","mo","ms","mtext","noembed","noframes","noscript","plaintext","script","selectedcontent","style","svg","template","thead","title","video","xmp"]),ze=null,Fe=d({},["audio","video","img","source","image","track"]),He=null,Ge=d({},["alt","class","for","id","label","name","pattern","placeholder","role","summary","title","value","style","xmlns"]),Lt="http://www.w3.org/1998/Math/MathML",wt="http://www.w3.org/2000/svg",H="http://www.w3.org/1999/xhtml",at=H,Jt=!1,We=null,Hn=d({},[Lt,wt,H],he),Gn=D(d({},["mi","mo","mn","ms","mtext"])),Qt=null,Wn=D(d({},["annotation-xml"])),te=null,Bn=D(K(null)),Yn=d({},["title","style","font","a","script"]),Tt=null,jn=["application/xhtml+xml","text/html"],Vn="text/html",E=null,It=null,$n=a.createElement("form"),Be=function(t){return t instanceof RegExp||t instanceof Function},ee=function(){let t=arguments.length>0&&arguments[0]!==void 0?arguments[0]:{};(!t||typeof t!="object")&&(t={}),t=Ut(t),Tt=jn.indexOf(t.PARSER_MEDIA_TYPE)===-1?Vn:t.PARSER_MEDIA_TYPE,E=Tt==="application/xhtml+xml"?he:et,g=X(t,"ALLOWED_TAGS",Bt,{transform:E}),A=X(t,"ALLOWED_ATTR",Yt,{transform:E}),We=X(t,"ALLOWED_NAMESPACES",Hn,{transform:he}),He=X(t,"ADD_URI_SAFE_ATTR",Ge,{transform:E,base:Ge}),ze=X(t,"ADD_DATA_URI_TAGS",Fe,{transform:E,base:Fe}),tt=X(t,"FORBID_CONTENTS",Ue,{transform:E}),_t=X(t,"FORBID_TAGS",K(null),{transform:E}),ve=X(t,"FORBID_ATTR",K(null),{transform:E}),st=I(t,"USE_PROFILES")?t.USE_PROFILES&&typeof t.USE_PROFILES=="object"?Ut(t.USE_PROFILES):t.USE_PROFILES:!1,Pe=t.ALLOW_ARIA_ATTR!==!1,jt=t.ALLOW_DATA_ATTR!==!1,Me=t.ALLOW_UNKNOWN_PROTOCOLS||!1,Vt=t.ALLOW_SELF_CLOSE_IN_ATTR!==!1,W=t.SAFE_FOR_TEMPLATES||!1,Z=t.SAFE_FOR_XML!==!1,J=t.WHOLE_DOCUMENT||!1,it=t.RETURN_DOM||!1,Dt=t.RETURN_DOM_FRAGMENT||!1,Kt=t.RETURN_TRUSTED_TYPE||!1,Xt=t.FORCE_BODY||!1,Ce=t.SANITIZE_DOM!==!1,xe=t.SANITIZE_NAMED_PROPS||!1,qt=t.KEEP_CONTENT!==!1,Zt=t.IN_PLACE||!1,Ne=vo(t.ALLOWED_URI_REGEXP)?t.ALLOWED_URI_REGEXP:pn,at=typeof t.NAMESPACE=="string"?t.NAMESPACE:H,Qt=Se(t,"MATHML_TEXT_INTEGRATION_POINTS",Gn),te=Se(t,"HTML_INTEGRATION_POINTS",Wn);let e=Se(t,"CUSTOM_ELEMENT_HANDLING",Bn);if(F=K(null),I(e,"tagNameCheck")&&Be(e.tagNameCheck)&&(F.tagNameCheck=e.tagNameCheck),I(e,"attributeNameCheck")&&Be(e.attributeNameCheck)&&(F.attributeNameCheck=e.attributeNameCheck),I(e,"allowCustomizedBuiltInElements")&&typeof e.allowCustomizedBuiltInElements=="boolean"&&(F.allowCustomizedBuiltInElements=e.allowCustomizedBuiltInElements),S(F),W&&(jt=!1),Dt&&(it=!0),st&&((I(t,"ALLOWED_TAGS")||I(t,"ALLOWED_ATTR"))&&typeof console<"u"&&typeof console.warn=="function"&&console.warn("DOMPurify: USE_PROFILES overrides ALLOWED_TAGS and ALLOWED_ATTR. Do not use these options together."),g=d({},cn),A=K(null),st.html===!0&&(d(g,ln),d(A,un)),st.svg===!0&&(d(g,Te),d(A,Ee),d(A,xt)),st.svgFilters===!0&&(d(g,ge),d(A,Ee),d(A,xt)),st.mathMl===!0&&(d(g,Ae),d(A,fn),d(A,xt))),V.tagCheck=null,V.attributeCheck=null,I(t,"ADD_TAGS")&&(typeof t.ADD_TAGS=="function"?V.tagCheck=t.ADD_TAGS:ft(t.ADD_TAGS)&&(g===Bt&&(g=St(g)),d(g,t.ADD_TAGS,E))),I(t,"ADD_ATTR")&&(typeof t.ADD_ATTR=="function"?V.attributeCheck=t.ADD_ATTR:ft(t.ADD_ATTR)&&(A===Yt&&(A=St(A)),d(A,t.ADD_ATTR,E))),I(t,"ADD_FORBID_CONTENTS")&&ft(t.ADD_FORBID_CONTENTS)&&(tt===Ue&&(tt=St(tt)),d(tt,t.ADD_FORBID_CONTENTS,E)),qt&&(g["#text"]=!0),J&&d(g,["html","head","body"]),g.table&&(g.tbody=!0,delete _t.tbody),t.TRUSTED_TYPES_POLICY){if(typeof t.TRUSTED_TYPES_POLICY.createHTML!="function")throw j('TRUSTED_TYPES_POLICY configuration option must provide a "createHTML" hook.');if(typeof t.TRUSTED_TYPES_POLICY.createScriptURL!="function")throw j('TRUSTED_TYPES_POLICY configuration option must provide a "createScriptURL" hook.');let n=N;N=t.TRUSTED_TYPES_POLICY;try{q=ht("")}catch(s){throw N=n,s}}else t.TRUSTED_TYPES_POLICY===null?(N=void 0,q=""):(N===void 0&&(N=Ln()),N&&typeof q=="string"&&(q=ht("")));It=D(t)},Ye=d({},[...Te,...ge,...Po]),je=d({},[...Ae,...Mo]),Xn=function(t,e,n){return e===H?t==="svg":e===Lt?t==="svg"&&(n==="annotation-xml"||Qt[n]):!!Ye[t]},Kn=function(t,e,n){return e===H?t==="math":e===wt?t==="math"&&te[n]:!!je[t]},qn=function(t,e,n){return e===wt&&!te[n]||e===Lt&&!Qt[n]?!1:!je[t]&&(Yn[t]||!Ye[t])},Zn=function(t){let e=Ht(t),n=et(rt(t)),s=nt(t),l=at,u="template";return s&&C(s)===y.element&&(l=Ht(s),u=et(rt(s))),We[e]?e===wt?Xn(n,l,u):e===Lt?Kn(n,l,u):e===H?qn(n,l,u):Tt==="application/xhtml+xml":!1},$=function(t){At(i.removed,{element:t});try{nt(t).removeChild(t)}catch{if(zt(t),!nt(t))throw j("a node selected for removal could not be detached from its tree and cannot be safely returned; refusing to sanitize in place")}},Ve=function(t,e,n){try{On(t,e)}catch{try{t.removeAttribute(n)}catch{}}},ne=function(t){ie(t);let e=pt(t);e&&Y(yo(e),n=>{try{zt(n)}catch{}}),C(t)===y.element&&oe(t,!1)},lt=function(t,e,n){if(!n)try{n=e.getAttributeNode(t)}catch{n=null}if(At(i.removed,{attribute:n||null,from:e}),n)Ve(e,n,t);else try{e.removeAttribute(t)}catch{}if(t==="is")if(it||Dt)try{$(e)}catch{}else try{e.setAttribute(t,"")}catch{}},oe=function(t,e){let n=Oe(t);if(n)for(let s=n.length-1;s>=0;--s){let l=n[s],u=l&&l.name;typeof u=="string"&&!(e&&A[E(u)])&&Ve(t,l,u)}},re=function(t,e){let n=arguments.length>2&&arguments[2]!==void 0?arguments[2]:!1,s=[t];for(;s.length>0;){let l=s.pop();if(e(l)===!1)continue;if(n&&C(l)===y.element){let p=Ft(l);ct(p)&&s.push(p)}let u=pt(l);if(u)for(let p=u.length-1;p>=0;--p)s.push(u[p])}},ie=function(t){re(t,e=>{C(e)===y.element&&oe(e,!0)})},se=function(t){let e=[];return re(t,n=>{e.push(n)},!0),e},Jn=function(t,e){let n=me();Y(se(t),s=>{C(s)===y.element&&de(n,s)}),Y(e,s=>{C(s)===y.element&&!Et(n,s)&&oe(s,!0)})},$e=function(t,e){let n=!1;return Y(i.removed,s=>{s.element&&(n=n||s.element===t,ie(s.element))}),Jn(t,e),n},Qn=8,to=function(t,e){let n=Q,s=null,l=()=>(s||(s=me(),Y(e,u=>{de(s,u)})),s);for(let u=0;;u++){let p=se(t),b=[t],B=!1;if(Y(p,k=>{C(k)===y.documentFragment?At(b,k):!B&&!Et(n,k)&&(B=Et(l(),k))}),!B)return;if(u>=Qn)throw j("the tree kept changing during in-place sanitization; refusing to return it");Y(b,(k,v)=>{eo(k,v>0,t,l())})}},eo=function(t,e,n,s){let l=Nt(t),u;for(;u=l.nextNode();)!Et(s,u)||Et(Q,u)||(e&&x(T.uponSanitizeShadowNode,u,null),ue(u,n))},no=function(t){Q&&de(Q,t)},Xe=function(t,e){return Z?t==="patchsrc"?!0:t==="for"&&e!=="label"&&e!=="output":!1},oo=function(t){Z&&re(t,e=>{let n=C(e);if(n===y.processingInstruction||n===y.comment&&R(mn,e.data)){try{zt(e)}catch{}return!1}if(n===y.element){let s=e,l=E(rt(e));try{s.hasAttribute&&s.hasAttribute("patchsrc")&&s.removeAttribute("patchsrc"),s.hasAttribute&&s.hasAttribute("for")&&Xe("for",l)&&s.removeAttribute("for")}catch{}}return!0})},Ke=function(t){let e=null,n=null;if(Xt)t="<remove></remove>"+t;else{let u=bo(t,Vo);n=u&&u[0]}Tt==="application/xhtml+xml"&&at===H&&(t='<html xmlns="http://www.w3.org/1999/xhtml"><head></head><body>'+t+"</body></html>");let s=N?ht(t):t;if(at===H)try{e=new z().parseFromString(s,Tt)}catch{}if(!e||!e.documentElement){e=Wt.createDocument(at,"template",null);try{e.documentElement.innerHTML=Jt?q:s}catch{}}let l=e.body||e.documentElement;return t&&n&&l.insertBefore(a.createTextNode(n),l.childNodes[0]||null),at===H?Nn.call(e,J?"html":"body")[0]:J?e.documentElement:l},Nt=function(t){let e=arguments.length>1&&arguments[1]!==void 0?arguments[1]:!1,n=Re?Re(t):t.ownerDocument;return wn.call(n||t,t,(e?0:O.SHOW_ELEMENT)|O.SHOW_COMMENT|O.SHOW_TEXT|O.SHOW_PROCESSING_INSTRUCTION|O.SHOW_CDATA_SECTION,null)},ae=function(t){return t=Ct(t,Pn," "),t=Ct(t,Mn," "),t=Ct(t,Cn," "),t},le=function(t){var e;ce(t);let n=(e=t.querySelectorAll)===null||e===void 0?void 0:e.call(t,"template");n&&Y(n,s=>{ct(s.content)&&le(s.content)})},ce=function(t){t.normalize();let e=Nt(t,!0),n=e.nextNode();for(;n;)n.data=ae(n.data),n=e.nextNode()},vt=function(t){let e=ot?ot(t):null;return typeof e!="string"||E(e)!=="form"?!1:typeof t.nodeName!="string"||typeof t.textContent!="string"||typeof t.removeChild!="function"||t.attributes!==Oe(t)||typeof t.removeAttribute!="function"||typeof t.removeAttributeNode!="function"||typeof t.getAttributeNode!="function"||typeof t.setAttribute!="function"||typeof t.namespaceURI!="string"||typeof t.insertBefore!="function"||typeof t.hasChildNodes!="function"||t.nodeType!==mt(t)||t.childNodes!==pt(t)},qe=function(t){if(!mt||typeof t!="object"||t===null)return null;try{let e=mt(t);return typeof e=="number"?e:null}catch{return null}},ct=function(t){return qe(t)===y.documentFragment},gt=function(t){return qe(t)!==null};function x(o,t,e){o.length!==0&&Y(o,n=>{n.call(i,t,e,It)})}let ro=function(t,e,n){return!!(Z&&n===y.element&&t.hasChildNodes()&&!gt(t.firstElementChild)&&R(ye,t.textContent)&&R(ye,t.innerHTML)||Z&&$o[e]&&n===y.element&&Ht(t)===H&&(gt(t.firstElementChild)||typeof t.textContent=="string"&&R(ye,t.textContent))||n===y.processingInstruction||Z&&n===y.comment&&R(mn,t.data))},Pt=function(t,e){if(t instanceof RegExp)return R(t,e);if(t instanceof Function){for(var n=arguments.length,s=new Array(n>2?n-2:0),l=2;l<n;l++)s[l-2]=arguments[l];return!!t(e,...s)}return!1},io=function(t,e,n){if(!_t[e]&&Qe(e)&&Pt(F.tagNameCheck,e))return!1;if(qt&&!tt[e]&&!tt[et(e)]){let s=nt(t),l=pt(t);if(l&&s){let u=l.length;for(let p=u-1;p>=0;--p){let b=t===n?bn(l[p],!0):l[p];s.insertBefore(b,Rn(t))}}}return $(t),!0},Ze=function(t,e,n,s){return t.length===0?e:e===n||e===s?St(e):e},ut=function(t,e){return t===e||nt(t)!==null?!1:(Zt&&ie(t),!0)},so=function(t,e){if(no(t),x(T.beforeSanitizeElements,t,null),ut(t,e))return!0;if(vt(t))return $(t),!0;let n=E(rt(t)),s=C(t);if(g=Ze(T.uponSanitizeElement,g,Bt,Ot),x(T.uponSanitizeElement,t,{tagName:n,allowedTags:g}),ut(t,e))return!0;if(ro(t,n,s))return $(t),!0;if(_t[n]||!(V.tagCheck instanceof Function&&V.tagCheck(n))&&!g[n]){let l=io(t,n,e);return l===!1&&(x(T.afterSanitizeElements,t,null),ut(t,e))?!0:l}if(s===y.element&&!Zn(t)||(n==="noscript"||n==="noembed"||n==="noframes")&&R(Yo,t.innerHTML))return $(t),!0;if(W&&s===y.text){let l=t.textContent,u=ae(l);l!==u&&(At(i.removed,{element:t.cloneNode()}),t.textContent=u)}return x(T.afterSanitizeElements,t,null),ut(t,e)},Je=function(t,e,n){if(ve[e]||Xe(e,t)||Ce&&(e==="id"||e==="name")&&(n in a||n in $n))return!1;let s=A[e]||V.attributeCheck instanceof Function&&V.attributeCheck(e,t);if(jt&&R(xn,e)||Pe&&R(kn,e))return!0;if(!s)return Qe(t)&&Pt(F.tagNameCheck,t)&&Pt(F.attributeNameCheck,e,t)||e==="is"&&F.allowCustomizedBuiltInElements&&Pt(F.tagNameCheck,n);if(He[e])return!0;let l=Ct(n,zn,"");return R(Ne,l)||(e==="src"||e==="xlink:href"||e==="href")&&t!=="script"&&_e(n,"data:")===0&&ze[t]||Me&&!R(Un,l)?!0:!n},ao=d({},["annotation-xml","color-profile","font-face","font-face-format","font-face-name","font-face-src","font-face-uri","missing-glyph"]),Qe=function(t){return!ao[et(t)]&&R(Fn,t)},lo=function(t,e,n,s){if(N&&typeof w=="object"&&typeof w.getAttributeType=="function"&&!n)switch(w.getAttributeType(t,e)){case"TrustedHTML":return ht(s);case"TrustedScriptURL":return Dn(s)}return s},co=function(t,e,n,s){try{return n?t.setAttributeNS(n,e,s):t.setAttribute(e,s),vt(t)?($(t),!1):!0}catch{return lt(e,t),!1}},tn=function(t,e){return Z&&R(jo,e)?!0:et(t)==="attributename"&&_e(e,"href")!==-1},uo=function(t,e){if(x(T.beforeSanitizeAttributes,t,null),ut(t,e))return;let n=t.attributes;if(!n||vt(t))return;A=Ze(T.uponSanitizeAttribute,A,Yt,Rt);let s={attrName:"",attrValue:"",keepAttr:!0,allowedAttributes:A,forceKeepAttr:void 0},l=n.length,u=E(rt(t));for(;l--;){let p=n[l],b=p.name,B=p.namespaceURI,k=p.value,v=E(b),G=k,L=b==="value"?G:Oo(G),en=!1;if(s.attrName=v,s.attrValue=L,s.keepAttr=!0,s.forceKeepAttr=void 0,x(T.uponSanitizeAttribute,t,s),L=s.attrValue,xe&&(v==="id"||v==="name")&&_e(L,ke)!==0&&(lt(b,t,p),L=ke+L,en=!0),tn(b,L)){lt(b,t,p);continue}if(!s.forceKeepAttr){if(!s.keepAttr){lt(b,t,p);continue}if(!Vt&&R(dn,L)){lt(b,t,p);continue}if(W&&(L=ae(L)),!Je(u,v,L)){lt(b,t,p);continue}L=lo(u,v,B,L),L!==G&&co(t,b,B,L)&&en&&rn(i.removed)}}x(T.afterSanitizeAttributes,t,null),ut(t,e)},ue=function(t,e){so(t,e),uo(t,e),ct(t.content)&&fe(t.content)},fe=function(t){let e=null,n=Nt(t);for(x(T.beforeSanitizeShadowDOM,t,null);e=n.nextNode();)if(x(T.uponSanitizeShadowNode,e,null),ue(e,t),C(e)===y.element){let s=Ft(e);ct(s)&&(pe(s),fe(s))}W&&ce(t),x(T.afterSanitizeShadowDOM,t,null)},pe=function(t){let e=[{node:t,shadow:null}];for(;e.length>0;){let n=e.pop();if(n.shadow){fe(n.shadow);continue}let s=n.node,l=C(s)===y.element,u=pt(s);if(u)for(let p=u.length-1;p>=0;--p)e.push({node:u[p],shadow:null});if(l){let p=ot?ot(s):null;if(typeof p=="string"&&E(p)==="template"){let b=s.content;ct(b)&&e.push({node:b,shadow:null})}}if(l){let p=Ft(s);ct(p)&&e.push({node:null,shadow:p},{node:p,shadow:null})}}};return i.sanitize=function(o){let t=arguments.length>1&&arguments[1]!==void 0?arguments[1]:{},e=null,n=null,s=null,l=null;if(Jt=!o,Jt&&(o="<!-->"),typeof o!="string"&&!gt(o)&&(o=Io(o),typeof o!="string"))throw j("dirty is not a string, aborting");if(!i.isSupported)return o;$t?(g=Ot,A=Rt):ee(t),i.removed=[];let u=Zt&&typeof o!="string"&&gt(o),p=[],b=Q;if(u){oo(o);let G=rt(o);if(typeof G=="string"){let L=E(G);if(!g[L]||_t[L])throw ne(o),j("root node is forbidden and cannot be sanitized in-place")}if(vt(o))throw ne(o),j("root node is clobbered and cannot be sanitized in-place");p=se(o),Q=me()}else if(gt(o))e=Ke("<!---->"),n=e.ownerDocument.importNode(o,!0),n.nodeType===y.element&&n.nodeName==="BODY"||n.nodeName==="HTML"?e=n:e.appendChild(n),pe(e);else{if(!it&&!W&&!J&&o.indexOf("<")===-1)return Ie(o);if(e=Ke(o),!e)return it?null:Kt?q:""}e&&Xt&&$(e.firstChild);let B=u?o:e;try{u&&pe(o);let G=Nt(B);for(;s=G.nextNode();)ue(s,B);u&&to(o,p)}catch(G){throw u&&(ne(o),$e(o,p)),G}finally{Q=b}if(u){if($e(o,p))throw j("a node selected for removal could not be safely returned; refusing to sanitize in place");return W&&le(o),o}if(it){if(W&&le(e),Dt)for(l=In.call(e.ownerDocument);e.firstChild;)l.appendChild(e.firstChild);else l=e;return(A.shadowroot||A.shadowrootmode)&&(l=vn.call(c,l,!0)),l}let k=()=>J?e.outerHTML:e.innerHTML,v=k();return W&&R(Uo,v)&&(ce(e),v=k()),J&&g["!doctype"]&&e.ownerDocument&&e.ownerDocument.doctype&&e.ownerDocument.doctype.name&&R(Wo,e.ownerDocument.doctype.name)&&(v="<!DOCTYPE "+e.ownerDocument.doctype.name+`>
`+v),Ie(v)},i.setConfig=function(){let o=arguments.length>0&&arguments[0]!==void 0?arguments[0]:{};ee(o),$t=!0,Ot=g,Rt=A},i.clearConfig=function(){It=null,$t=!1,Ot=null,Rt=null,N=Gt,q=""},i.isValidAttribute=function(o,t,e){It||ee({});let n=E(o),s=E(t);return typeof e=="string"&&(tn(t,e)||!Vt&&R(dn,e))?!1:Je(n,s,e)},i.addHook=function(o,t){typeof t=="function"&&I(T,o)&&At(T[o],t)},i.removeHook=function(o,t){if(I(T,o)){if(t!==void 0){let e=Eo(T[o],t);return e===-1?void 0:So(T[o],e,1)[0]}return rn(T[o])}},i.removeHooks=function(o){I(T,o)&&(T[o]=[])},i.removeAllHooks=function(){T=hn()},i}var Sn=yn();globalThis.overcompletePurifier=()=>Sn(window);})();
