// Writes through HBase's client for Go into a table of SQL that has indexes: every kind of mutation that the client has.
//
//	indexed HOST:ZOOKEEPER-PORT TABLE
//
// The table's key is a VARCHAR; its columns 0:V and 0:W are VARCHARs, 0:N is an UNSIGNED_LONG.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"os"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

const family = "0"

// What SQL looks at to see that there is a row.
var mark = map[string][]byte{"_0": []byte("x")}

func columns(values map[string]string) map[string]map[string][]byte {
	cells := map[string][]byte{}
	for name, value := range mark {
		cells[name] = value
	}
	for name, value := range values {
		cells[name] = []byte(value)
	}
	return map[string]map[string][]byte{family: cells}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	client := gohbase.NewClient(os.Args[1])
	defer client.Close()
	table := os.Args[2]
	ctx := context.Background()

	put := func(row string, values map[string]string) {
		request, err := hrpc.NewPutStr(ctx, table, row, columns(values))
		must(err)
		_, err = client.Put(request)
		must(err)
	}
	for i := 0; i < 300; i++ {
		put(fmt.Sprintf("go-%03d", i), map[string]string{"V": fmt.Sprintf("v%d", i%7), "W": fmt.Sprintf("w%d", i)})
	}
	// Other values of what is indexed, and of what is included.
	for i := 0; i < 300; i += 3 {
		put(fmt.Sprintf("go-%03d", i), map[string]string{"V": fmt.Sprintf("changed%d", i%5)})
	}
	for i := 0; i < 300; i += 5 {
		put(fmt.Sprintf("go-%03d", i), map[string]string{"W": "changed"})
	}
	// Rows, and single columns of rows.
	for i := 0; i < 300; i += 11 {
		request, err := hrpc.NewDelStr(ctx, table, fmt.Sprintf("go-%03d", i), nil)
		must(err)
		_, err = client.Delete(request)
		must(err)
	}
	for i := 1; i < 300; i += 13 {
		request, err := hrpc.NewDelStr(ctx, table, fmt.Sprintf("go-%03d", i), map[string]map[string][]byte{family: {"V": nil}})
		must(err)
		_, err = client.Delete(request)
		must(err)
	}
	for i := 0; i < 40; i++ {
		request, err := hrpc.NewIncStrSingle(ctx, table, fmt.Sprintf("go-%03d", i%8), family, "N", 1)
		must(err)
		_, err = client.Increment(request)
		must(err)
		request, err = hrpc.NewAppStr(ctx, table, fmt.Sprintf("go-%03d", 100+i%8), columns(map[string]string{"V": "+"}))
		must(err)
		_, err = client.Append(request)
		must(err)
	}
	// One that meets its condition and one that does not.
	for i, expected := range []string{"v2", "none"} {
		request, err := hrpc.NewPutStr(ctx, table, "go-016", columns(map[string]string{"V": fmt.Sprintf("checked%d", i)}))
		must(err)
		done, err := client.CheckAndPut(request, family, "V", []byte(expected))
		must(err)
		if done != (i == 0) {
			log.Fatalf("the condition %q: %v", expected, done)
		}
	}
	// What the counters are, for the comparison.
	request, err := hrpc.NewGetStr(ctx, table, "go-001")
	must(err)
	row, err := client.Get(request)
	must(err)
	for _, cell := range row.Cells {
		if string(cell.Qualifier) == "N" {
			fmt.Println("go-001 counts", binary.BigEndian.Uint64(cell.Value))
		}
	}
}
