import NIOCore
import NIOHTTP1

/// The files of the page. They contain nothing of a session, and need no token.
enum PageFile: String, CaseIterable {
  case html = ""
  case css = "page.css"
  case icon = "icon.svg"
  case page = "page.js"
  case elements = "elements.js"
  case drawers = "drawers.js"
  case keyboard = "keyboard.js"
  case log = "log.js"
  case palette = "palette.js"
  case received = "received.js"
  case screen = "screen.js"

  /// The file for a request's target. A reverse proxy may put a path before it: only the last part
  /// counts.
  init?(target: String) {
    let path = target.prefix { $0 != "?" && $0 != "#" }
    guard path.hasPrefix("/") else { return nil }
    self.init(rawValue: String(path[path.index(after: path.lastIndex(of: "/")!)...]))
  }

  var bytes: [UInt8] {
    switch self {
    case .html: PackageResources.page_html
    case .css: PackageResources.page_css
    case .icon: PackageResources.icon_svg
    case .page: PackageResources.page_js
    case .elements: PackageResources.elements_js
    case .drawers: PackageResources.drawers_js
    case .keyboard: PackageResources.keyboard_js
    case .log: PackageResources.log_js
    case .palette: PackageResources.palette_js
    case .received: PackageResources.received_js
    case .screen: PackageResources.screen_js
    }
  }

  var type: String {
    switch self {
    case .html: "text/html; charset=utf-8"
    case .css: "text/css; charset=utf-8"
    case .icon: "image/svg+xml"
    case .page, .elements, .drawers, .keyboard, .log, .palette, .received, .screen:
      "text/javascript; charset=utf-8"
    }
  }

  /// The headers of every answer: the page runs its own scripts only, loads nothing from elsewhere, and
  /// no other page can contain it.
  static let headers: HTTPHeaders = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      + "img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
  ]
}
