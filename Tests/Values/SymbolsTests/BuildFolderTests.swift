import Symbols
import Testing

@Suite struct BuildFolderTests {
  /// Looks into a folder with these files.
  private func found(_ files: [String: String]) -> [String] {
    BuildFolder(
      list: { folder in
        let prefix = folder.isEmpty ? "" : "\(folder)/"
        let names = files.keys.filter { $0.hasPrefix(prefix) }
          .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init) }
        return Array(Set(names))
      }, read: { files[$0].map { Array($0.utf8) } }
    ).find().map { "\($0.system): \($0.path)" + ($0.program.map { ", \($0)" } ?? "") }
  }

  @Test(
    arguments: [
      (
        [
          "project_description.json":
            #"{"app_elf": "hello.elf", "monitor_toolprefix": "xtensa-esp32-elf-"}"#
        ], ["ESP-IDF: hello.elf, xtensa-esp32-elf-addr2line"]
      ),
      (
        ["build/project_description.json": #"{"app_elf": "hello.elf"}"#],
        ["ESP-IDF: build/hello.elf"]
      ),
      // A program is a name, never a path that a file in the folder chooses.
      (
        ["project_description.json": #"{"app_elf": "a.elf", "monitor_toolprefix": "/tmp/evil-"}"#],
        ["ESP-IDF: a.elf"]
      ),
      (["project_description.json": "{", "x.elf": ""], [": x.elf"]),
      (
        [
          "CMakeCache.txt": "A:STRING=B\nBYPRODUCT_KERNEL_ELF_NAME:FILEPATH=/old/zephyr/app.elf\n"
            + "CMAKE_ADDR2LINE:FILEPATH=/opt/sdk/bin/arm-zephyr-eabi-addr2line\n",
          "zephyr/app.elf": "",
        ], ["Zephyr: zephyr/app.elf, arm-zephyr-eabi-addr2line"]
      ),
      (["build_info.yml": "cmake:", "zephyr/zephyr.elf": ""], ["Zephyr: zephyr/zephyr.elf"]),
      (
        [
          "domains.yaml": "default: app\n",
          "app/CMakeCache.txt": "BYPRODUCT_KERNEL_ELF_NAME:F=z.elf",
          "app/zephyr/z.elf": "", "mcuboot/CMakeCache.txt": "BYPRODUCT_KERNEL_ELF_NAME:F=z.elf",
          "mcuboot/zephyr/z.elf": "",
        ], ["Zephyr: app/zephyr/z.elf"]
      ),
      (
        [
          ".pio/build/a/firmware.elf": "", ".pio/build/b/firmware.elf": "",
          ".pio/build/project.checksum": "",
        ], ["PlatformIO: .pio/build/a/firmware.elf", "PlatformIO: .pio/build/b/firmware.elf"]
      ),
      (["firmware.elf": ""], ["PlatformIO: firmware.elf"]),
      (
        ["build/esp32.esp32.x/blink.ino.elf": "", "blink.ino": ""],
        ["Arduino: build/esp32.esp32.x/blink.ino.elf"]
      ),
      (["main.c": ""], []), ([:], []),
    ] as [([String: String], [String])])
  func findsTheFileOfTheBuildSystem(_ files: [String: String], _ expected: [String]) {
    #expect(found(files) == expected)
  }
}
