/// The version of serialterm, which has a release together with this program.
let version = "1.0.0-rc1"
